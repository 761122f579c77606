"""Reads the arguments of a client."""

from __future__ import annotations

import re
from urllib.parse import urlsplit


def parse_base_url(url: str) -> str:
    """Without a slash at its end. A path in it is kept."""
    try:
        parts = urlsplit(url.strip())
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_valid = False
    if not is_valid or "@" in parts.netloc:
        raise ValueError("The URL must start with http:// or https:// and must not contain a user name or password.")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


class Headers:
    """The headers of every request. Its text does not contain the API key."""

    def __init__(self, api_key: str | None) -> None:
        self._api_key = None if api_key is None else _parse_api_key(api_key)

    def build(self, headers: dict[str, str]) -> dict[str, str]:
        return headers if self._api_key is None else {**headers, "authorization": f"Bearer {self._api_key}"}


def _parse_api_key(text: str) -> str:
    """A file or a variable often ends with a line break. The errors of httpx could contain an invalid key, so it is rejected here."""
    key = text.strip()
    if not re.fullmatch(r"[!-~]+", key):
        raise ValueError("The API key must consist of visible ASCII characters.")
    return key
