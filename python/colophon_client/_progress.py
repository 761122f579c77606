from __future__ import annotations

from dataclasses import dataclass

from .types import JobEvent


@dataclass(frozen=True)
class JobProgress:
    """What `on_progress` is called with."""

    job_id: str
    event: JobEvent | None
    """What the agent did. None once, right after the job was created."""
