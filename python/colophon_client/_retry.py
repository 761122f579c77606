"""Which failed calls are repeated, how often, and after how long."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass

from ._errors import ColophonError

_FIRST_BACKOFF_SECONDS = 0.5
_MAX_BACKOFF_SECONDS = 10.0
_MAX_DOUBLINGS = 10  # more would exceed the maximum anyway, and later the range of a float


@dataclass(frozen=True)
class Retry:
    """Limits of automatic retries. Only calls that are safe to repeat are retried: reads, and writes with an idempotency key."""

    max_retries: float = 6
    """Attempts after the first one."""
    max_seconds: float = 60
    """No attempt starts later than this after the first one, also if `Retry-After` says so."""


NO_RETRY = Retry(max_retries=0, max_seconds=0)


def retry_delay_seconds(failures: int, error: ColophonError) -> float:
    """Exponential backoff with full jitter, so that clients that failed together do not return together."""
    backoff = min(_MAX_BACKOFF_SECONDS, _FIRST_BACKOFF_SECONDS * 2.0 ** min(failures, _MAX_DOUBLINGS))
    jitter = random.random() * backoff
    if error.retry_after_seconds is None:
        return jitter
    return error.retry_after_seconds + min(jitter, _FIRST_BACKOFF_SECONDS)


class RetrySchedule:
    """The attempts of one call."""

    def __init__(self, limits: Retry) -> None:
        self._max_retries = limits.max_retries
        self._last_start = time.monotonic() + limits.max_seconds
        self._failures = 0

    def delay_after(self, error: ColophonError) -> float | None:
        """Seconds to wait before the next attempt. None if there is none."""
        if not error.is_transient or self._failures >= self._max_retries:
            return None
        delay = retry_delay_seconds(self._failures, error)
        self._failures += 1
        return delay if time.monotonic() + delay <= self._last_start else None


class ReconnectSchedule:
    """The connections to a stream, which may stay open for hours: what counts is how long the server has been silent."""

    def __init__(self, reconnect_seconds: float) -> None:
        self._reconnect_seconds = reconnect_seconds
        self._heard_at = time.monotonic()
        self._failures = 0

    def heard(self) -> None:
        """Something arrived, if only a heartbeat."""
        self._heard_at = time.monotonic()

    def received_event(self) -> None:
        self._failures = 0

    def delay_after(self, error: ColophonError) -> float | None:
        """Seconds to wait before the next connection. None if there is none."""
        if not error.is_transient:
            return None
        delay = retry_delay_seconds(self._failures, error)
        self._failures += 1
        return delay if time.monotonic() + delay <= self._heard_at + self._reconnect_seconds else None
