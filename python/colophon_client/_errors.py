"""Every error that a call raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .types import ProblemError


class ColophonError(Exception):
    """A call failed. Its subclasses are for common kinds of failures; `code` tells all of them apart."""

    code: str
    """An error code of the API, or `no_response`, `timeout` or `unexpected_response`. A newer server may send codes that are new."""
    detail: str
    """One or two sentences that say what is wrong and, where possible, what to do next."""
    status: int | None
    """HTTP status. None if there was no response."""
    request_id: str | None
    """Identifies the request in the log of the instance."""
    errors: tuple[ProblemError, ...]
    """The invalid fields of the request. Empty unless the code is `invalid_request`."""
    retry_after_seconds: float | None
    """From `Retry-After`."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        errors: Sequence[ProblemError] = (),
        retry_after_seconds: float | None = None,
    ) -> None:
        fields = "".join(f" {error['path']}: {error['message']}." for error in errors)
        # The request ID is in the message, because the logs of CI show only that.
        super().__init__(f"{code}: {detail}{fields}{'' if request_id is None else f' ({request_id})'}")
        self.code = code
        self.detail = detail
        self.status = status
        self.request_id = request_id
        self.errors = tuple(errors)
        self.retry_after_seconds = retry_after_seconds

    def __reduce__(self) -> tuple[Any, ...]:
        # An exception is copied with its arguments, which would be the message alone. Process pools copy exceptions.
        return _restore, (type(self), self.code, self.detail, self.__dict__)

    @property
    def is_transient(self) -> bool:
        """Whether the same call can succeed later: there was no response, or one with a status that says so."""
        return self.status is None or self.status >= 500 or self.status in (408, 425, 429)


def _restore(kind: type[ColophonError], code: str, detail: str, fields: dict[str, Any]) -> ColophonError:
    error = kind(code, detail, **{name: value for name, value in fields.items() if name not in ("code", "detail")})
    return error


class NoResponseError(ColophonError):
    """There was no complete response (`no_response`), or not in time (`timeout`)."""


class UnexpectedResponseError(ColophonError):
    """The response is not from Colophon: check the URL, and any proxy in front of it."""


class InvalidRequestError(ColophonError):
    """400 or 422: the request is invalid. `errors` lists the fields."""


class AuthenticationError(ColophonError):
    """401: the API key is missing, wrong, expired or revoked."""


class PermissionDeniedError(ColophonError):
    """403: the API key may not do this."""


class NotFoundError(ColophonError):
    """404: it does not exist, or the API key belongs to another project."""


class ConflictError(ColophonError):
    """409: the current state does not allow this, for example because the job is archived."""


class RateLimitedError(ColophonError):
    """429: wait for `retry_after_seconds`."""


class ServerError(ColophonError):
    """5xx: the instance failed, or is not available."""


_kinds: dict[int, type[ColophonError]] = {
    400: InvalidRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    422: InvalidRequestError,
    429: RateLimitedError,
}


def kind_of_status(status: int) -> type[ColophonError]:
    return ServerError if status >= 500 else _kinds.get(status, ColophonError)
