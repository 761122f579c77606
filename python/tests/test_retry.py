from __future__ import annotations

import random

import pytest
from colophon_client import ColophonError
from colophon_client._retry import retry_delay_seconds


def test_backoff_grows_exponentially_to_a_maximum_with_full_jitter(monkeypatch: pytest.MonkeyPatch) -> None:
    error = ColophonError("no_response", "")
    monkeypatch.setattr(random, "random", lambda: 0.5)
    assert [retry_delay_seconds(failures, error) for failures in (0, 1, 2, 3, 4, 5, 50, 5000)] == [
        0.25,
        0.5,
        1,
        2,
        4,
        5,
        5,
        5,
    ]
    monkeypatch.setattr(random, "random", lambda: 0.0)
    assert retry_delay_seconds(3, error) == 0
    assert retry_delay_seconds(3, ColophonError("rate_limited", "", retry_after_seconds=7)) == 7
