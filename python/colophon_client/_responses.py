"""Distinguishes the responses of Colophon from those of proxies and of other programs at a wrong URL."""

from __future__ import annotations

import json
import math
import time
from email.utils import parsedate_to_datetime
from typing import TypeGuard, TypeVar, cast

import httpx

from ._errors import ColophonError, NoResponseError, UnexpectedResponseError, kind_of_status
from ._operation import Operation
from .types import Health, ProblemError, Readiness

Body = TypeVar("Body")


def read_body(operation: Operation[Body], response: httpx.Response, content: bytes) -> Body:
    """Returns the body of a response of Colophon, and raises everything else. Fields are left to the API description."""
    body = _parse_json(content)
    is_expected = response.is_success or response.status_code in operation.additional_statuses
    if is_expected and isinstance(body, dict) and not _is_problem_type(response):
        return cast(Body, body)
    raise read_error(response, content)


State = TypeVar("State", Health, Readiness)


def expect_version(state: State) -> State:
    """These two calls may reach another program, whose response is an object, too."""
    if not isinstance(state.get("version"), str):
        raise UnexpectedResponseError("unexpected_response", "The URL is not that of a Colophon instance: it reports no version.")
    return state


def read_error(response: httpx.Response, content: bytes) -> ColophonError:
    """The error of a response that does not have what was requested."""
    body = _parse_json(content)
    status = response.status_code
    if _is_problem_type(response) and _is_problem(body):
        return kind_of_status(status)(
            cast(str, body["code"]),
            cast(str, body["detail"]),
            status=status,
            request_id=cast(str, body["requestId"]),
            errors=cast("list[ProblemError]", body.get("errors", [])),
            retry_after_seconds=_retry_after_seconds(response),
        )
    return UnexpectedResponseError(
        "unexpected_response",
        _describe_unexpected(response),
        status=status,
        request_id=response.headers.get("x-request-id"),
        retry_after_seconds=_retry_after_seconds(response),
    )


def no_response(url: str, error: httpx.HTTPError, timeout_seconds: float) -> ColophonError:
    if isinstance(error, httpx.TimeoutException):
        return NoResponseError("timeout", f"No complete response from {url} within {timeout_seconds:g} seconds.")
    return NoResponseError("no_response", f"No complete response from {url}: {str(error) or type(error).__name__}.")


def _is_problem_type(response: httpx.Response) -> bool:
    return has_content_type(response, "application/problem+json")


def has_content_type(response: httpx.Response, content_type: str) -> bool:
    return cast(str, response.headers.get("content-type", "")).startswith(content_type)


def _parse_json(content: bytes) -> object:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _is_problem(body: object) -> TypeGuard[dict[str, object]]:
    """The code may be one that this client does not know."""
    if not isinstance(body, dict) or not all(isinstance(body.get(name), str) for name in ("code", "detail", "requestId")):
        return False
    errors = body.get("errors", [])
    return isinstance(errors, list) and all(_is_field_error(error) for error in errors)


def _is_field_error(error: object) -> bool:
    return isinstance(error, dict) and isinstance(error.get("path"), str) and isinstance(error.get("message"), str)


def _describe_unexpected(response: httpx.Response) -> str:
    location = response.headers.get("location")
    if location is not None:
        return f"{response.url} redirects to {location}. Use that URL instead."
    return (
        f"{response.url} sent status {response.status_code} and a body that is not from Colophon. "
        "Check the URL, and any proxy in front of it."
    )


def _retry_after_seconds(response: httpx.Response) -> float | None:
    """The header is a number of seconds or a date; proxies send either."""
    value = cast("str | None", response.headers.get("retry-after"))
    if value is None:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return float(max(0, math.ceil(parsedate_to_datetime(value).timestamp() - time.time())))
    except ValueError:
        return None
