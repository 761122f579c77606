"""Reads server-sent events, as the API sends them."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class ServerSentEvent:
    type: str
    data: str


class EventReader:
    """The events of one connection."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._incomplete = ""

    def read(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        """The events that are complete with this chunk. Comments, which are heartbeats, are not events."""
        *blocks, self._incomplete = (self._incomplete + self._decoder.decode(chunk)).split("\n\n")
        for block in blocks:
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            if "data" in fields:
                yield ServerSentEvent(fields.get("event", "message"), fields["data"])
