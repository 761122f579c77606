"""Tests of the asynchronous client. They also run for the synchronous one: `toSynchronous` in `generate.ts` derives its tests."""

from __future__ import annotations

import json
import pickle
import time
from email.utils import formatdate

import httpx
import pytest
from colophon_client import (
    NO_RETRY,
    AsyncColophon,
    ColophonError,
    InvalidRequestError,
    JobProgress,
    NoResponseError,
    NotFoundError,
    RateLimitedError,
    Retry,
    ServerError,
    UnexpectedResponseError,
    operations,
)
from scripted_server import (
    END,
    Response,
    ScriptedServer,
    cut,
    drip,
    event,
    job,
    ok,
    page_of_proxy,
    problem,
    send,
    silent,
    stream,
)

pytestmark = pytest.mark.anyio
KEY = "colophon_secret"


async def test_a_write_is_retried_with_one_idempotency_key(server: ScriptedServer) -> None:
    server.responses = [cut, page_of_proxy(502), job()]
    async with AsyncColophon(server.url, KEY) as client:
        await client.jobs.create("prj_1", {"prompt": "Fix the links."})
        keys = [received.headers.get("idempotency-key", "") for received in server.received]
        assert len(keys) == 3 and len(set(keys)) == 1 and keys[0].startswith("py-")
        assert {received.body for received in server.received} == {b'{"prompt": "Fix the links."}'}
        assert server.received[0].headers["authorization"] == f"Bearer {KEY}"
        await client.jobs.create("prj_1", {"prompt": "Fix the links."})
        assert server.received[-1].headers["idempotency-key"] != keys[0]
        await client.jobs.create("prj_1", {"prompt": "Fix the links."}, idempotency_key="mine")
        assert server.received[-1].headers["idempotency-key"] == "mine"


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
async def test_a_read_is_retried(server: ScriptedServer, status: int) -> None:
    server.responses = [problem(status), job()]
    async with AsyncColophon(server.url, KEY) as client:
        await client.jobs.get("prj_1", "job_1")
    assert len(server.received) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
async def test_nothing_is_retried_after_a_rejection(server: ScriptedServer, status: int) -> None:
    server.responses = [problem(status), job()]
    async with AsyncColophon(server.url, KEY) as client:
        with pytest.raises(ColophonError) as raised:
            await client.jobs.create("prj_1", {"prompt": "a"})
    assert raised.value.status == status
    assert len(server.received) == 1


async def test_a_write_without_an_idempotency_key_is_sent_once(server: ScriptedServer) -> None:
    server.responses = [cut, job()]
    async with AsyncColophon(server.url, KEY) as client:
        with pytest.raises(NoResponseError):
            await client.jobs.cancel("prj_1", "job_1")
    assert len(server.received) == 1


async def test_the_number_of_retries_is_limited(server: ScriptedServer) -> None:
    server.responses = [cut, page_of_proxy(500), problem(503)]
    async with AsyncColophon(server.url, KEY, retry=Retry(max_retries=2)) as client:
        with pytest.raises(ServerError) as raised:
            await client.me()
        assert raised.value.code == "some_code"
        assert len(server.received) == 3
        with pytest.raises(ServerError):
            await client.call(operations.get_me(), retry=NO_RETRY)
        assert len(server.received) == 4


async def test_retry_after_is_honored(server: ScriptedServer) -> None:
    server.responses = [problem(429, retry_after="1"), job()]
    started_at = time.monotonic()
    async with AsyncColophon(server.url, KEY) as client:
        await client.me()
    assert time.monotonic() - started_at > 0.99


@pytest.mark.parametrize("retry_after", ["3600", formatdate(time.time() + 3600, usegmt=True)])
async def test_a_retry_that_would_be_too_late_is_not_awaited(server: ScriptedServer, retry_after: str) -> None:
    server.responses = [problem(429, "rate_limited", retry_after), job()]
    async with AsyncColophon(server.url, KEY) as client:
        with pytest.raises(RateLimitedError) as raised:
            await client.me()
    assert raised.value.retry_after_seconds is not None and raised.value.retry_after_seconds > 3000
    assert len(server.received) == 1


@pytest.mark.parametrize("response", [silent(1), drip(1)])
async def test_an_attempt_that_takes_too_long_is_retried(server: ScriptedServer, response: Response) -> None:
    server.responses = [response, job()]
    async with AsyncColophon(server.url, KEY, timeout_seconds=0.2) as client:
        await client.me()
    assert len(server.received) == 2
    server.responses = [response]
    async with AsyncColophon(server.url, KEY, timeout_seconds=0.2, retry=NO_RETRY) as client:
        with pytest.raises(NoResponseError) as raised:
            await client.me()
    assert raised.value.code == "timeout" and "within 0.2 seconds" in raised.value.detail


async def test_a_problem_becomes_an_error_with_all_of_its_fields(server: ScriptedServer) -> None:
    errors = [{"path": "query/limit", "message": "must be at most 250"}]
    server.responses = [problem(400, "invalid_request", errors=errors)]
    async with AsyncColophon(server.url, KEY) as client:
        with pytest.raises(InvalidRequestError) as raised:
            await client.me()
    error = raised.value
    assert str(error) == "invalid_request: No. query/limit: must be at most 250. (req_1)"
    assert (error.code, error.detail, error.status, error.request_id) == ("invalid_request", "No.", 400, "req_1")
    assert error.errors == tuple(errors)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is InvalidRequestError and str(copy) == str(error) and copy.__dict__ == error.__dict__


async def test_an_error_code_that_is_new_is_an_error_like_others(server: ScriptedServer) -> None:
    server.responses = [problem(404, "a_code_of_a_newer_server")]
    async with AsyncColophon(server.url, KEY) as client:
        with pytest.raises(NotFoundError) as raised:
            await client.me()
    assert raised.value.code == "a_code_of_a_newer_server"


@pytest.mark.parametrize(
    "response",
    [
        page_of_proxy(200),
        page_of_proxy(404),
        ok(["another", "program"]),
        send(204, b"", "application/json"),
        problem(400, errors=[None]),
        send(200, b'{"code": "a", "detail": "b", "requestId": "c"}', "application/problem+json; charset=utf-8")
    ],
)
async def test_what_is_not_from_colophon_is_rejected(server: ScriptedServer, response: Response) -> None:
    server.responses = [response, job()]
    async with AsyncColophon(server.url, KEY) as client:
        with pytest.raises(ColophonError):
            await client.me()
    assert len(server.received) == 1


async def test_the_health_of_another_program_is_rejected(server: ScriptedServer) -> None:
    server.responses = [ok({"status": "ok"})]
    async with AsyncColophon(server.url) as client:
        with pytest.raises(UnexpectedResponseError):
            await client.health()
        with pytest.raises(UnexpectedResponseError):
            await client.readiness()


async def test_a_server_that_is_not_ready_is_a_result(server: ScriptedServer) -> None:
    state = {"status": "not_ready", "version": "1.2.3", "components": {}}
    server.responses = [send(503, json.dumps(state).encode(), "application/json")]
    async with AsyncColophon(server.url) as client:
        assert await client.readiness() == state
    assert "authorization" not in server.received[0].headers


async def test_redirects_are_not_followed(server: ScriptedServer) -> None:
    server.responses = [send(301, b"", "text/html", {"location": "https://elsewhere/"}), job()]
    async with AsyncColophon(server.url, KEY, http_client=httpx.AsyncClient(follow_redirects=True)) as client:
        with pytest.raises(UnexpectedResponseError) as raised:
            await client.me()
    assert "redirects to https://elsewhere/. Use that URL instead." in raised.value.detail
    assert len(server.received) == 1


async def test_no_server_listens(server: ScriptedServer) -> None:
    server.close()
    async with AsyncColophon(server.url, KEY, retry=NO_RETRY) as client:
        with pytest.raises(NoResponseError) as raised:
            await client.me()
    assert raised.value.code == "no_response" and f"from {server.url}/v2/me: " in raised.value.detail
    assert KEY not in repr(raised.value) + repr(raised.value.__cause__)


async def test_no_text_contains_the_api_key(server: ScriptedServer) -> None:
    async with AsyncColophon(server.url, f"{KEY}\n") as client:
        shown = [client, client.jobs, client.__dict__, client._connection.__dict__, client.jobs.list("prj_1").__dict__]
        assert KEY not in repr(shown)
        assert repr(client) == f"AsyncColophon('{server.url}')"
    with pytest.raises(ValueError) as raised:
        AsyncColophon(server.url, "colophon_se\ncret")
    assert "colophon_" not in str(raised.value)
    assert "token" not in repr(operations.connect_repository("prj_1", {"token": "t"}))  # type: ignore[typeddict-item]


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://a.test", "https://me:secret@a.test", "https://", ""])
async def test_invalid_urls_are_rejected(url: str) -> None:
    with pytest.raises(ValueError) as raised:
        AsyncColophon(url, KEY)
    assert "secret@" not in str(raised.value)


@pytest.mark.parametrize("job_id", ["", ".", ".."])
async def test_ids_that_address_something_else_are_rejected(server: ScriptedServer, job_id: str) -> None:
    async with AsyncColophon(server.url, KEY) as client:
        with pytest.raises(ValueError):
            await client.jobs.get("prj_1", job_id)
    assert server.received == []


async def test_the_path_of_the_url_is_kept_and_ids_are_encoded(server: ScriptedServer) -> None:
    server.responses = [job()]
    async with AsyncColophon(f"{server.url}/docs/colophon/", KEY) as client:
        await client.jobs.get("prj_1", "a/../b?c")
    assert server.received[0].path == "/docs/colophon/v2/agent/prj_1/job/a%2F..%2Fb%3Fc"


async def test_a_list_is_one_page_or_everything(server: ScriptedServer) -> None:
    first = {"jobs": [{"id": "job_1"}, {"id": "job_2"}], "nextCursor": "c 1"}
    server.responses = [ok(first), ok(first), ok({"jobs": [{"id": "job_3"}], "nextCursor": None})]
    async with AsyncColophon(server.url, KEY) as client:
        jobs = client.jobs.list("prj_1", {"limit": 2})
        assert server.received == []
        assert await jobs.page() == first
        ids = [job["id"] async for job in jobs]
    assert ids == ["job_1", "job_2", "job_3"]
    assert [received.path.split("?")[1] for received in server.received] == ["limit=2", "limit=2", "limit=2&cursor=c+1"]


async def test_pages_of_views_continue_at_their_offset(server: ScriptedServer) -> None:
    view = {"path": "/a"}
    server.responses = [ok({"views": [view, view], "hasMore": True}), ok({"views": [view], "hasMore": False})]
    async with AsyncColophon(server.url, KEY) as client:
        views = [view async for view in client.views.list("prj_1", {"offset": 4})]
    assert len(views) == 3
    assert [received.path.split("?")[1] for received in server.received] == ["offset=4", "offset=6"]


async def test_events_resume_after_the_last_complete_one(server: ScriptedServer) -> None:
    server.responses = [
        stream(f"retry: 2000\n\n{event(0)}{event(1)[:20]}", is_complete=False),
        page_of_proxy(503),
        stream(event(1)),
        stream(f": keep-alive\n\n{event(2)}{END}"),
    ]
    async with AsyncColophon(server.url, KEY) as client:
        received = [(event["id"], event.get("text")) async for event in client.jobs.follow("prj_1", "job_1")]
    assert received == [("1.1.0", "ä"), ("1.1.1", "ä"), ("1.1.2", "ä")]
    last_ids = [received.headers.get("last-event-id") for received in server.received]
    assert last_ids == [None, "1.1.0", "1.1.0", "1.1.1"]
    assert server.received[0].headers["accept"] == "text/event-stream"


async def test_following_ends_with_an_error_that_stays(server: ScriptedServer) -> None:
    server.responses = [problem(404, "not_found")]
    async with AsyncColophon(server.url, KEY) as client:
        with pytest.raises(NotFoundError):
            async for _ in client.jobs.follow("prj_1", "job_1"):
                pass
        server.responses = [cut]
        with pytest.raises(NoResponseError):
            await client.jobs.wait("prj_1", "job_1", reconnect_seconds=-1)


async def test_create_and_wait_creates_one_job_and_reports_each_event_once(server: ScriptedServer) -> None:
    server.responses = [
        cut,
        job(),
        stream(event(0), is_complete=False),
        cut,
        stream(event(1) + END),
        cut,
        job("completed"),
    ]
    progress: list[JobProgress] = []
    async with AsyncColophon(server.url, KEY) as client:
        final = await client.jobs.create_and_wait("prj_1", {"prompt": "Fix the links."}, on_progress=progress.append)
    assert final["status"] == "completed"
    assert [(step.job_id, step.event and step.event["id"]) for step in progress] == [
        ("job_1", None),
        ("job_1", "1.1.0"),
        ("job_1", "1.1.1"),
    ]
    creates = [received for received in server.received if received.method == "POST"]
    assert len(creates) == 2 and len({received.headers["idempotency-key"] for received in creates}) == 1


async def test_wait_continues_if_another_message_made_the_job_active_again(server: ScriptedServer) -> None:
    server.responses = [stream(event(0) + END), job("active"), stream(event(1) + END), job("failed")]
    ids: list[str] = []

    def report(progress: JobProgress) -> None:
        assert progress.event is not None
        ids.append(progress.event["id"])

    async with AsyncColophon(server.url, KEY) as client:
        final = await client.jobs.wait("prj_1", "job_1", on_progress=report)
    assert final["status"] == "failed"
    assert ids == ["1.1.0", "1.1.1"]
    assert server.received[2].headers["last-event-id"] == "1.1.0"


async def test_wait_ends_with_the_error_of_on_progress(server: ScriptedServer) -> None:
    server.responses = [stream(event(0) + END), job("completed")]

    def fail(_: JobProgress) -> None:
        raise OSError("disk full")

    async with AsyncColophon(server.url, KEY) as client:
        with pytest.raises(OSError, match="disk full"):
            await client.jobs.wait("prj_1", "job_1", on_progress=fail)
    assert len(server.received) == 1


async def test_a_download_is_retried_until_it_starts(server: ScriptedServer) -> None:
    server.responses = [cut, problem(503), send(200, b"path,total\n", "text/csv; charset=utf-8")]
    async with AsyncColophon(server.url, KEY) as client:
        content = b"".join([chunk async for chunk in client.views.export_csv("prj_1", {"dateFrom": "2026-11-01"})])
    assert content == b"path,total\n"
    assert [received.path for received in server.received] == ["/v1/analytics/prj_1/views.csv?dateFrom=2026-11-01"] * 3


async def test_a_client_of_the_caller_is_not_closed(server: ScriptedServer) -> None:
    server.responses = [job()]
    async with httpx.AsyncClient() as http:
        async with AsyncColophon(server.url, KEY, http_client=http) as client:
            await client.me()
        assert not http.is_closed
