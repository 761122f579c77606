from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from scripted_server import ScriptedServer


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    scripted = ScriptedServer()
    yield scripted
    scripted.close()


@pytest.fixture(autouse=True)
def without_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Backoff has full jitter, so it can be zero."""
    monkeypatch.setattr(random, "random", lambda: 0.0)
