"""Answers deliveries, in `http.server`, WSGI (Flask, Django) and ASGI (FastAPI, Starlette)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from http.server import BaseHTTPRequestHandler
from typing import Any, Callable, Optional

from .errors import WebhookRefused
from .inbox import Inbox
from .verifying import Headers, verify

# Larger than any event.
MOST_BYTES = 4 * 1024 * 1024
READ_TIMEOUT_S = 30

_log = logging.getLogger("pestle")


class Receiver:
    """Verifies and processes a delivery, and returns the status to answer: 204 on success, 401 if the pharmacy did not
    send it, and 500 if your handler failed, so that the pharmacy tries again."""

    def __init__(self, inbox: Inbox, *, on_error: Optional[Callable[[Exception], None]] = None, **secrets: Any) -> None:
        """
        :param on_error: Receives an error of your own handler. By default, the logger `pestle` records it.
        :param secrets: The arguments of `verify`.
        """
        self._inbox = inbox
        self._secrets = secrets
        self._on_error = on_error
        # Wrong arguments fail now, and not with the first delivery.
        try:
            verify(b"{}", {}, **secrets)
        except WebhookRefused:
            pass

    def __call__(self, body: bytes, headers: Headers) -> int:
        try:
            event = verify(body, headers, **self._secrets)
        except WebhookRefused:
            return 401
        try:
            self._inbox.take(event)
        except Exception as error:
            if self._on_error is None:
                _log.exception("The handler of a webhook failed.")
            else:
                self._on_error(error)
            return 500
        return 204


def http_handler(receive: Callable[[bytes, Headers], int], path: Optional[str] = None) -> type[BaseHTTPRequestHandler]:
    """A handler for `http.server.ThreadingHTTPServer`. With a path, other paths get 404."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # A sender that stops in the middle does not keep its thread.
        timeout = READ_TIMEOUT_S

        def do_POST(self) -> None:
            length = self.headers.get("content-length", "")
            if path is not None and self.path.split("?")[0] != path:
                return self._answer(404)
            # The pharmacy always sends the length.
            if not (length.isascii() and length.isdigit()):
                return self._answer(411)
            if int(length) > MOST_BYTES:
                return self._answer(413)
            body = self.rfile.read(int(length))
            self._answer(receive(body, self.headers.items()), read=True)

        def do_GET(self) -> None:
            self._answer(405)

        do_HEAD = do_PUT = do_PATCH = do_DELETE = do_GET

        def _answer(self, status: int, read: bool = False) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            if not read:
                # Its body is still in the connection.
                self.send_header("Connection", "close")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            _log.debug(format, *args)

    return Handler


def wsgi_app(
    receive: Callable[[bytes, Headers], int],
) -> Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]:
    """An application for any WSGI server, to mount at the path of the endpoint."""

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response(_line(_status(environ)), [("Content-Length", "0")])
        return [b""]

    def _status(environ: dict[str, Any]) -> int:
        if environ["REQUEST_METHOD"] != "POST":
            return 405
        length = environ.get("CONTENT_LENGTH") or "0"
        if not length.isdigit() or int(length) > MOST_BYTES:
            return 413
        body = environ["wsgi.input"].read(int(length))
        headers = [(name[5:].replace("_", "-"), value) for name, value in environ.items() if name.startswith("HTTP_")]
        return receive(body, headers)

    return app


def asgi_app(
    receive: Callable[[bytes, Headers], int],
) -> Callable[[dict[str, Any], Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]:
    """An application for any ASGI server, to mount at the path of the endpoint. Handlers run in a thread."""

    async def app(
        scope: dict[str, Any], read: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        if scope["type"] != "http":
            raise ValueError("Only HTTP requests are answered.")
        status = 405 if scope["method"] != "POST" else await _status(scope, read)
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    async def _status(scope: dict[str, Any], read: Callable[[], Awaitable[Any]]) -> int:
        body = bytearray()
        while True:
            message = await read()
            if message["type"] == "http.disconnect":
                return 400
            body += message.get("body", b"")
            if len(body) > MOST_BYTES:
                return 413
            if not message.get("more_body", False):
                break
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        return await asyncio.get_running_loop().run_in_executor(None, receive, bytes(body), headers)

    return app


_REASONS = {204: "No Content", 401: "Unauthorized", 405: "Method Not Allowed", 413: "Content Too Large"}


def _line(status: int) -> str:
    return f"{status} {_REASONS.get(status, 'Internal Server Error')}"
