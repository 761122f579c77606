"""A server that answers each request with the next response of a list, and all further ones with the last."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Received:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


Response = Callable[[BaseHTTPRequestHandler], None]


class ScriptedServer:
    def __init__(self) -> None:
        self.received: list[Received] = []
        self.responses: list[Response] = []
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_request(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                scripted.received.append(Received(self.command, self.path, headers, body))
                scripted.responses[min(len(scripted.received), len(scripted.responses)) - 1](self)

            do_GET = do_POST = do_PATCH = do_DELETE = handle_request

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


def send(status: int, body: bytes, content_type: str, headers: Mapping[str, str] = {}) -> Response:
    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"content-type": content_type, "content-length": str(len(body)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body)

    return respond


def ok(body: Any) -> Response:
    return send(200, json.dumps(body).encode(), "application/json")


def job(status: str = "active") -> Response:
    return ok({"id": "job_1", "status": status})


def problem(status: int, code: str = "some_code", retry_after: str | None = None, **fields: Any) -> Response:
    body = {"code": code, "detail": "No.", "requestId": "req_1", **fields}
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return send(status, json.dumps(body).encode(), "application/problem+json; charset=utf-8", headers)


def page_of_proxy(status: int) -> Response:
    return send(status, b"<h1>Bad gateway</h1>", "text/html")


def cut(handler: BaseHTTPRequestHandler) -> None:
    """Resets the connection, without a response."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def silent(seconds: float) -> Response:
    def respond(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return respond


def drip(seconds: float) -> Response:
    """Sends one byte of its body after another, so that no single wait is long."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "1000")
        handler.end_headers()
        deadline = time.monotonic() + seconds
        try:
            while time.monotonic() < deadline:
                handler.wfile.write(b" ")
                time.sleep(0.02)
        except OSError:
            pass
        handler.close_connection = True

    return respond


def stream(content: str, *, is_complete: bool = True) -> Response:
    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream")
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for byte in range(0, len(encoded := content.encode()), 7):  # events arrive in pieces
            piece = encoded[byte : byte + 7]
            handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        if is_complete:
            handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = True

    return respond


def event(index: int) -> str:
    data = json.dumps({"id": f"1.1.{index}", "type": "text", "text": "ä"}, ensure_ascii=False)
    return f"id: 1.1.{index}\nevent: text\ndata: {data}\n\n"


END = "event: end\ndata: {}\n\n"
