"""Client for the API of a Colophon instance, synchronous (`Colophon`) and asynchronous (`AsyncColophon`)."""

from . import operations, types
from ._async_client import AsyncColophon, AsyncPagedList
from ._errors import (
    AuthenticationError,
    ColophonError,
    ConflictError,
    InvalidRequestError,
    NoResponseError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitedError,
    ServerError,
    UnexpectedResponseError,
)
from ._operation import Download, Operation
from ._progress import JobProgress
from ._retry import NO_RETRY, Retry
from ._sync_client import Colophon, PagedList

__all__ = [
    "NO_RETRY",
    "AsyncColophon",
    "AsyncPagedList",
    "AuthenticationError",
    "Colophon",
    "ColophonError",
    "ConflictError",
    "Download",
    "InvalidRequestError",
    "JobProgress",
    "NoResponseError",
    "NotFoundError",
    "Operation",
    "PagedList",
    "PermissionDeniedError",
    "RateLimitedError",
    "Retry",
    "ServerError",
    "UnexpectedResponseError",
    "operations",
    "types",
]
