"""What a call sends, and what it returns. Both clients, synchronous and asynchronous, call the same operations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Literal, TypeVar
from urllib.parse import quote, urlencode

Body = TypeVar("Body", covariant=True)


@dataclass(frozen=True)
class Operation(Generic[Body]):
    """A request of the API, whose response has a body of the type `Body`. The functions of `operations` create them."""

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    url: str
    """The path as in the API description: relative to the URL of the instance, with parameters as `{name}`."""
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, object] = field(default_factory=dict)
    body: Mapping[str, object] | None = field(default=None, repr=False)  # can contain secrets, such as access tokens
    takes_idempotency_key: bool = False
    additional_statuses: tuple[int, ...] = ()
    """Statuses other than 2xx with which the server sends the body instead of an error."""

    @property
    def is_safe_to_repeat(self) -> bool:
        """If the response of another write is lost, nobody knows whether it was carried out."""
        return self.method == "GET" or self.takes_idempotency_key

    def with_query(self, query: Mapping[str, object]) -> Operation[Body]:
        return replace(self, query={**self.query, **query})


@dataclass(frozen=True)
class Download:
    """A request whose response is a file."""

    url: str
    content_type: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, object] = field(default_factory=dict)


def build_url(base: str, request: Operation[object] | Download) -> str:
    """`base` has no slash at its end."""
    path = re.sub(r"\{(\w+)\}", lambda match: _path_segment(match[1], request.path.get(match[1])), request.url)
    query = [(name, _query_value(value)) for name, value in request.query.items() if value is not None]
    return f"{base}{path}{'?' if query else ''}{urlencode(query)}"


def _path_segment(name: str, value: object) -> str:
    """Rejects an empty ID, which would address the list instead of its entry, and `..`, which is resolved even when encoded."""
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise ValueError(f"{name} must be an ID, not {value!r}.")
    return quote(value, safe="")


def _query_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
