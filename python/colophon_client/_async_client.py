"""The asynchronous client. The synchronous one, `_sync_client.py`, is derived from this file: run `npm run python-client`."""

from __future__ import annotations

import json
import math
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from types import TracebackType
from typing import Generic, TypeVar, cast

import anyio
import httpx

from . import operations, types
from ._errors import ColophonError, NoResponseError
from ._events import EventReader
from ._operation import Download, Operation, build_url
from ._progress import JobProgress
from ._responses import expect_version, has_content_type, no_response, read_body, read_error
from ._retry import NO_RETRY, ReconnectSchedule, Retry, RetrySchedule
from ._settings import Headers, parse_base_url

Body = TypeVar("Body")
Page = TypeVar("Page")
Item = TypeVar("Item")

_DEFAULT_RECONNECT_SECONDS = 300.0
_SILENCE_SECONDS = 45.0  # the server sends a heartbeat every 15 seconds


class AsyncConnection:
    """Sends requests to one instance, and repeats those that are safe to repeat."""

    def __init__(
        self, base: str, headers: Headers, *, timeout_seconds: float, retry: Retry, http: httpx.AsyncClient
    ) -> None:
        self._base = base
        self._headers = headers
        self._timeout_seconds = timeout_seconds
        self._retry = retry
        self._http = http

    async def call(
        self,
        operation: Operation[Body],
        *,
        idempotency_key: str | None = None,
        timeout_seconds: float | None = None,
        retry: Retry | None = None,
    ) -> Body:
        # One key for all attempts, so that the work is done once.
        key = (idempotency_key or f"py-{secrets.token_hex(16)}") if operation.takes_idempotency_key else None
        schedule = RetrySchedule((retry or self._retry) if operation.is_safe_to_repeat else NO_RETRY)
        while True:
            try:
                return await self._attempt(operation, key, timeout_seconds or self._timeout_seconds)
            except ColophonError as error:
                delay = schedule.delay_after(error)
                if delay is None:
                    raise
            await anyio.sleep(delay)

    async def _attempt(self, operation: Operation[Body], idempotency_key: str | None, timeout_seconds: float) -> Body:
        headers = {"accept": "application/json"}
        content: bytes | None = None
        if operation.body is not None:
            headers["content-type"] = "application/json"
            content = json.dumps(operation.body).encode()
        if idempotency_key is not None:
            headers["idempotency-key"] = idempotency_key
        url = build_url(self._base, operation)
        deadline = time.monotonic() + timeout_seconds
        received = bytearray()
        try:
            async with self._http.stream(
                operation.method,
                url,
                headers=self._headers.build(headers),
                content=content,
                timeout=timeout_seconds,
                follow_redirects=False,  # following would turn a POST into a GET on a redirect from http to https
            ) as response:
                async for chunk in response.aiter_bytes():
                    received += chunk
                    if time.monotonic() > deadline:  # the timeout of httpx is for each chunk
                        raise httpx.ReadTimeout("")
        except httpx.HTTPError as error:
            raise no_response(url, error, timeout_seconds) from error
        return read_body(operation, response, bytes(received))

    async def download(self, download: Download, *, retry: Retry | None = None) -> AsyncGenerator[bytes, None]:
        url = build_url(self._base, download)
        schedule = RetrySchedule(retry or self._retry)
        has_started = False
        while True:
            try:
                async with self._open(url, {}, download.content_type, self._timeout_seconds) as response:
                    async for chunk in response.aiter_bytes():
                        has_started = True
                        yield chunk
                return
            except ColophonError as error:
                delay = None if has_started else schedule.delay_after(error)
                if delay is None:
                    raise
            await anyio.sleep(delay)

    async def follow_events(
        self, operation: Operation[object], *, after: str | None, reconnect_seconds: float
    ) -> AsyncGenerator[types.JobEvent, None]:
        url = build_url(self._base, operation)
        schedule = ReconnectSchedule(reconnect_seconds)
        while True:
            headers = {} if after is None else {"last-event-id": after}
            failure: ColophonError = NoResponseError("no_response", f"{url} ended before the job did.")
            try:
                async with self._open(url, headers, "text/event-stream", _SILENCE_SECONDS) as response:
                    reader = EventReader()
                    async for chunk in response.aiter_bytes():
                        schedule.heard()
                        for received in reader.read(chunk):
                            if received.type == "end":
                                return
                            event = cast(types.JobEvent, json.loads(received.data))
                            schedule.received_event()
                            after = event["id"]
                            yield event
            except ColophonError as error:
                failure = error
            delay = schedule.delay_after(failure)
            if delay is None:
                raise failure
            await anyio.sleep(delay)

    @asynccontextmanager
    async def _open(
        self, url: str, headers: dict[str, str], content_type: str, silence_seconds: float
    ) -> AsyncIterator[httpx.Response]:
        """A response that is read while it arrives. A failure while it is read is raised as a `ColophonError`, too."""
        try:
            async with self._http.stream(
                "GET",
                url,
                headers=self._headers.build({"accept": content_type, **headers}),
                timeout=silence_seconds,
                follow_redirects=False,
            ) as response:
                if not has_content_type(response, content_type):
                    raise read_error(response, await response.aread())
                yield response
        except httpx.HTTPError as error:
            raise no_response(url, error, silence_seconds) from error


class AsyncPagedList(Generic[Page, Item]):
    """A list that the API returns in pages. Iterate it for every item, or get one page with `page()`."""

    def __init__(
        self,
        connection: AsyncConnection,
        operation: Operation[Page],
        read: Callable[[Page, Mapping[str, object]], tuple[Sequence[Item], Mapping[str, object] | None]],
    ) -> None:
        self._connection = connection
        self._operation = operation
        self._read = read

    async def page(self) -> Page:
        """The page that the query describes, as the API returns it."""
        return await self._connection.call(self._operation)

    async def __aiter__(self) -> AsyncIterator[Item]:
        operation = self._operation
        while True:
            items, next_query = self._read(await self._connection.call(operation), operation.query)
            for item in items:
                yield item
            if next_query is None:
                return
            operation = self._operation.with_query(next_query)


class AsyncJobs:
    """Agent jobs: each ends with a pull request, no changes, or a failure."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self,
        project_id: str,
        body: types.CreateJobRequest,
        *,
        idempotency_key: str | None = None,
        timeout_seconds: float | None = None,
        retry: Retry | None = None,
    ) -> types.AgentJob:
        """Creates a job and returns at once; use `create_and_wait` to wait for the result. Retried with one idempotency key."""
        return await self._connection.call(
            operations.create_job(project_id, body),
            idempotency_key=idempotency_key,
            timeout_seconds=timeout_seconds,
            retry=retry,
        )

    async def create_and_wait(
        self,
        project_id: str,
        body: types.CreateJobRequest,
        *,
        on_progress: Callable[[JobProgress], object] | None = None,
        idempotency_key: str | None = None,
        timeout_seconds: float | None = None,
        retry: Retry | None = None,
        reconnect_seconds: float = _DEFAULT_RECONNECT_SECONDS,
    ) -> types.AgentJob:
        """Creates a job, waits until it is no longer active, and returns it.

        Creating it is retried with one idempotency key, and waiting reconnects, so that a lost connection or a restart of the
        server neither ends the call nor creates a second job. `timeout_seconds` and `retry` apply to creating it.
        """
        job = await self.create(
            project_id, body, idempotency_key=idempotency_key, timeout_seconds=timeout_seconds, retry=retry
        )
        if on_progress is not None:
            on_progress(JobProgress(job["id"], None))
        return await self.wait(project_id, job["id"], on_progress=on_progress, reconnect_seconds=reconnect_seconds)

    async def wait(
        self,
        project_id: str,
        job_id: str,
        *,
        on_progress: Callable[[JobProgress], object] | None = None,
        after: str | None = None,
        reconnect_seconds: float = _DEFAULT_RECONNECT_SECONDS,
    ) -> types.AgentJob:
        """Waits until a job is no longer active, and returns it. Reconnects when the connection is lost.

        `on_progress` is called with each event after the event `after`, once and in order. If it raises, waiting ends.
        """
        retry = Retry(max_retries=math.inf, max_seconds=reconnect_seconds)
        while True:
            following = self.follow(project_id, job_id, after=after, reconnect_seconds=reconnect_seconds)
            async with aclosing(following) as events:  # ends the connection if `on_progress` raises
                async for event in events:
                    after = event["id"]
                    if on_progress is not None:
                        on_progress(JobProgress(job_id, event))
            job = await self.get(project_id, job_id, retry=retry)
            if job["status"] != "active":  # it can be active again, after another message
                return job

    def follow(
        self,
        project_id: str,
        job_id: str,
        *,
        after: str | None = None,
        reconnect_seconds: float = _DEFAULT_RECONNECT_SECONDS,
    ) -> AsyncGenerator[types.JobEvent, None]:
        """What the agent does, as it happens, until the job is no longer active. With `after`, only what follows that event.

        Reconnects when the connection is lost, without losing or repeating an event. Gives up when it has not heard from the
        server for `reconnect_seconds`.
        """
        operation = operations.list_events(project_id, job_id)
        return self._connection.follow_events(operation, after=after, reconnect_seconds=reconnect_seconds)

    async def get(self, project_id: str, job_id: str, *, retry: Retry | None = None) -> types.AgentJob:
        """A job with its current state."""
        return await self._connection.call(operations.get_job(project_id, job_id), retry=retry)

    async def send_message(
        self,
        project_id: str,
        job_id: str,
        body: types.SendMessageRequest,
        *,
        idempotency_key: str | None = None,
        timeout_seconds: float | None = None,
        retry: Retry | None = None,
    ) -> types.AgentJob:
        """Continues a job. The message is queued while the job is active; a job that has ended becomes active again."""
        return await self._connection.call(
            operations.send_message(project_id, job_id, body),
            idempotency_key=idempotency_key,
            timeout_seconds=timeout_seconds,
            retry=retry,
        )

    async def diff(self, project_id: str, job_id: str) -> types.GetDiffResponse:
        """The changes of the job as a unified diff. If a result awaits approval, the changes that would be pushed."""
        return await self._connection.call(operations.get_diff(project_id, job_id))

    def list(
        self, project_id: str, query: types.ListJobsParametersQuery | None = None
    ) -> AsyncPagedList[types.ListJobsResponse, types.AgentJob]:
        """Jobs, newest first."""
        return AsyncPagedList(
            self._connection,
            operations.list_jobs(project_id, query),
            lambda page, _: (page["jobs"], _next("cursor", page["nextCursor"])),
        )

    def messages(
        self, project_id: str, job_id: str, query: types.ListMessagesParametersQuery | None = None
    ) -> AsyncPagedList[types.ListMessagesResponse, types.JobMessage]:
        """Messages of a job, each with the state of its turn. Iterated, newest first; each page has its oldest first."""
        return AsyncPagedList(
            self._connection,
            operations.list_messages(project_id, job_id, query),
            lambda page, _: (page["messages"][::-1], _next("before", page["nextBefore"])),
        )

    def events(
        self, project_id: str, job_id: str, query: types.ListEventsParametersQuery | None = None
    ) -> AsyncPagedList[types.ListEventsResponse, types.JobEvent]:
        """What the agent did so far, oldest first. Use `follow` for events as they happen."""
        return AsyncPagedList(
            self._connection,
            operations.list_events(project_id, job_id, query),
            lambda page, _: (page["events"], _next("after", page["nextAfter"])),
        )

    async def approve(self, project_id: str, job_id: str, body: types.ApproveResultRequest) -> types.AgentJob:
        """Approves the result whose diff has this digest (`approval.diffSha256` of the job). It is then published."""
        return await self._connection.call(operations.approve_result(project_id, job_id, body))

    async def reject(self, project_id: str, job_id: str, body: types.RejectResultRequest) -> types.AgentJob:
        """Rejects the result whose diff has this digest (`approval.diffSha256` of the job). It is not published."""
        return await self._connection.call(operations.reject_result(project_id, job_id, body))

    async def cancel(self, project_id: str, job_id: str) -> types.AgentJob:
        """Stops an active job, which becomes `failed` with the outcome `cancelled`."""
        return await self._connection.call(operations.cancel_job(project_id, job_id))

    async def archive(self, project_id: str, job_id: str) -> types.AgentJob:
        """Archives a job for good: it accepts no more messages, and an active job stops first."""
        return await self._connection.call(operations.archive_job(project_id, job_id))

    async def models(self, project_id: str) -> types.ListModelsResponse:
        """The models that a job can be created with."""
        return await self._connection.call(operations.list_models(project_id))


class AsyncViews:
    """Page views by humans and AI."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def ingest(
        self,
        project_id: str,
        body: types.IngestViewsRequest,
        *,
        idempotency_key: str | None = None,
        timeout_seconds: float | None = None,
        retry: Retry | None = None,
    ) -> types.IngestedViews:
        """Reports requests that a site served. Retried with one idempotency key, so that no view counts twice."""
        return await self._connection.call(
            operations.ingest_views(project_id, body),
            idempotency_key=idempotency_key,
            timeout_seconds=timeout_seconds,
            retry=retry,
        )

    def list(
        self, project_id: str, query: types.ListViewsParametersQuery | None = None
    ) -> AsyncPagedList[types.ViewsResult, types.ViewsResultView]:
        """Pages by number of views, highest first. Each page of the list also has the totals."""
        return AsyncPagedList(self._connection, operations.list_views(project_id, query), _read_views)

    async def timeseries(
        self, project_id: str, query: types.GetViewTimeseriesParametersQuery | None = None
    ) -> types.ViewsTimeseries:
        """Views per interval of a time zone, without gaps."""
        return await self._connection.call(operations.get_view_timeseries(project_id, query))

    async def clients(
        self, project_id: str, query: types.ListClientsParametersQuery | None = None
    ) -> types.ListClientsResponse:
        """Views by client name, including search engines and other bots."""
        return await self._connection.call(operations.list_clients(project_id, query))

    def export_csv(
        self, project_id: str, query: types.ExportViewsParametersQuery | None = None
    ) -> AsyncGenerator[bytes, None]:
        """All pages of a range as CSV, in chunks."""
        return self._connection.download(operations.export_views(project_id, query))


class AsyncColophon:
    """A client of one instance. Every call that fails raises a `ColophonError`.

    Close it with `aclose()`, or use it in `async with`. The functions of `operations` describe every request that an API key can
    make; `call` sends it.
    """

    jobs: AsyncJobs
    views: AsyncViews

    def __init__(
        self,
        url: str,
        api_key: str | None = None,
        *,
        timeout_seconds: float = 30,
        retry: Retry = Retry(),
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """`url` is that of the instance, for example `https://colophon.example.com`.

        `timeout_seconds` limits one attempt of a call. An `http_client` of your own, for example with a proxy, is not closed.
        """
        self._url = parse_base_url(url)
        self._own_http = httpx.AsyncClient() if http_client is None else None
        self._connection = AsyncConnection(
            self._url,
            Headers(api_key),
            timeout_seconds=timeout_seconds,
            retry=retry,
            http=http_client or cast(httpx.AsyncClient, self._own_http),
        )
        self.jobs = AsyncJobs(self._connection)
        self.views = AsyncViews(self._connection)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._url!r})"

    async def __aenter__(self) -> AsyncColophon:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        if self._own_http is not None:
            await self._own_http.aclose()

    async def call(
        self,
        operation: Operation[Body],
        *,
        idempotency_key: str | None = None,
        timeout_seconds: float | None = None,
        retry: Retry | None = None,
    ) -> Body:
        """Sends a request and returns the body of the response, for example `call(operations.list_keys(project_id))`."""
        return await self._connection.call(
            operation, idempotency_key=idempotency_key, timeout_seconds=timeout_seconds, retry=retry
        )

    def download(self, download: Download, *, retry: Retry | None = None) -> AsyncGenerator[bytes, None]:
        """A file in chunks, for example `download(operations.export_project(project_id))`."""
        return self._connection.download(download, retry=retry)

    async def me(self) -> types.Me:
        """The project and scopes of the API key. Use it to test a key."""
        return await self._connection.call(operations.get_me())

    async def health(self) -> types.Health:
        """Whether the process is alive. Not retried, because it reports the current state."""
        return expect_version(await self._connection.call(operations.get_health(), retry=NO_RETRY))

    async def readiness(self) -> types.Readiness:
        """The state of each component. A server that is not ready yields a result, not an error. Not retried."""
        return expect_version(await self._connection.call(operations.get_readiness(), retry=NO_RETRY))


def _next(name: str, cursor: str | int | None) -> Mapping[str, object] | None:
    return None if cursor is None else {name: cursor}


def _read_views(
    page: types.ViewsResult, query: Mapping[str, object]
) -> tuple[Sequence[types.ViewsResultView], Mapping[str, object] | None]:
    views = page["views"]
    offset = cast(int, query.get("offset", 0)) + len(views)
    return views, {"offset": offset} if page["hasMore"] else None
