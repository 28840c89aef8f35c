"""Sends requests over connections that it keeps open, and repeats those that may succeed later."""

from __future__ import annotations

import http.client
import json
import random
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Protocol, Union
from urllib.parse import urlsplit

from .errors import NotFound, PestleError, RateLimited, Unavailable, error_of

FIRST_WAIT_S = 0.2
LONGEST_WAIT_S = 5.0
MOST_IDLE = 16
# More than any answer of the API.
MOST_BYTES = 64 * 1024 * 1024
CHUNK_BYTES = 64 * 1024


@dataclass
class Request:
    """One HTTP request. A function as the body makes the body of each attempt."""

    method: str
    url: str
    headers: dict[str, str]
    body: Union[None, bytes, Callable[[], bytes]] = None


@dataclass
class Response:
    """One HTTP response. Names of headers are lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Answer:
    """A successful answer of the API."""

    status: int
    headers: Mapping[str, str]
    """Names are lower case."""
    request_id: Optional[str]
    body: Any
    """None for an answer without a body, such as 204 and 304."""


class Transport(Protocol):
    """Sends one request within a time. Raises OSError or HTTPException if no answer came. Must not follow redirects. The
    names of the answer's headers are lower case."""

    def __call__(self, request: Request, body: Optional[bytes], timeout_s: float) -> Response: ...


@dataclass
class Travel:
    """How requests are sent. Tests replace the parts, so that they need not wait."""

    transport: Transport
    attempt_timeout_s: float
    retries: Optional[int] = None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = field(default=random.random)


class StaleConnection(ConnectionError):
    """A connection that had served requests ended without an answer. That says nothing about a new one."""


class Connections:
    """The transport of the client: `http.client`, with connections that stay open and serve any thread."""

    def __init__(self, tls: Optional[ssl.SSLContext] = None) -> None:
        self._tls = tls
        self._idle: dict[str, list[http.client.HTTPConnection]] = {}
        self._lock = threading.Lock()
        self._closed = False

    def __call__(self, request: Request, body: Optional[bytes], timeout_s: float) -> Response:
        until = time.monotonic() + timeout_s
        parts = urlsplit(request.url)
        origin = f"{parts.scheme}://{parts.netloc}"
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection = self._take(origin)
        if connection is not None:
            try:
                return self._exchange(connection, origin, request, target, body, until)
            except (ConnectionError, http.client.BadStatusLine) as cause:
                raise StaleConnection("the server closed the connection") from cause
        return self._exchange(self._open(parts.scheme, parts.netloc), origin, request, target, body, until)

    def close(self) -> None:
        """Closes the idle connections, and the others after their request."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection in connections:
                connection.close()

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        origin: str,
        request: Request,
        target: str,
        body: Optional[bytes],
        until: float,
    ) -> Response:
        try:
            self._limit(connection, until)
            connection.request(request.method, target, body=body, headers=request.headers)
            answer = connection.getresponse()
            chunks: list[bytes] = []
            length = 0
            while True:
                self._limit(connection, until)
                chunk = answer.read1(CHUNK_BYTES)
                if not chunk:
                    break
                length += len(chunk)
                if length > MOST_BYTES:
                    raise http.client.HTTPException("the answer is too large")
                chunks.append(chunk)
            if answer.length:
                raise http.client.IncompleteRead(b"".join(chunks), answer.length)
            # Otherwise the connection takes no further request.
            answer.close()
        except BaseException:
            connection.close()
            raise
        if answer.will_close:
            connection.close()
        else:
            self._keep(origin, connection)
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return Response(answer.status, headers, b"".join(chunks))

    def _limit(self, connection: http.client.HTTPConnection, until: float) -> None:
        """A socket's timeout applies to each read, so it shrinks with the time that is left."""
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        connection.timeout = left
        if connection.sock is not None:
            connection.sock.settimeout(left)

    def _open(self, scheme: str, netloc: str) -> http.client.HTTPConnection:
        if scheme == "https":
            return http.client.HTTPSConnection(netloc, context=self._tls or ssl.create_default_context())
        return http.client.HTTPConnection(netloc)

    def _take(self, origin: str) -> Optional[http.client.HTTPConnection]:
        with self._lock:
            idle = self._idle.get(origin)
            return idle.pop() if idle else None

    def _keep(self, origin: str, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            idle = self._idle.setdefault(origin, [])
            if not self._closed and len(idle) < MOST_IDLE:
                idle.append(connection)
                return
        connection.close()


def send(travel: Travel, request: Request, until: float) -> Answer:
    """Sends a request until it gets a final answer or the time `until` of the clock has come.

    Repeats connection errors, 429 and 503 with the same bytes and headers. A POST carries its Idempotency-Key and the
    other methods are idempotent, so a request that did arrive the first time takes effect only once.
    """
    attempt = 0
    repeated = False
    while True:
        try:
            result = _send_once(travel, request, until)
        except StaleConnection:
            repeated = True
            continue
        if isinstance(result, Answer):
            return result
        # An earlier attempt whose answer was lost has already deleted the record.
        if request.method == "DELETE" and repeated and isinstance(result, NotFound):
            return Answer(204, {}, result.request_id, None)
        if not isinstance(result, (RateLimited, Unavailable)):
            raise result
        if travel.retries is not None and attempt >= travel.retries:
            raise result
        wait_s = wait_before(attempt, result.retry_after_s, travel.chance())
        # The retry would be too late: fail now, so that the caller can still do something else.
        if travel.clock() + wait_s >= until:
            raise result
        travel.sleep(wait_s)
        attempt += 1
        repeated = True


def wait_before(attempt: int, retry_after_s: Optional[int], chance: float) -> float:
    """Exponential backoff: half of the wait is fixed and half is random, so that clients that failed together do not
    retry together. Adds the random part to `Retry-After`, because an earlier retry would be refused again."""
    half_s = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(attempt, 16)) / 2
    return (half_s if retry_after_s is None else retry_after_s) + chance * half_s


def _send_once(travel: Travel, request: Request, until: float) -> Union[Answer, PestleError]:
    parts = urlsplit(request.url)
    origin = f"{parts.scheme}://{parts.netloc}"
    left_s = until - travel.clock()
    if left_s <= 0:
        return Unavailable(f"No answer came from {origin} before the deadline.")
    body = request.body() if callable(request.body) else request.body
    try:
        response = travel.transport(request, body, min(left_s, travel.attempt_timeout_s))
    except StaleConnection:
        raise
    # Before Python 3.10, `socket.timeout` is an error of its own.
    except (TimeoutError, socket.timeout) as cause:
        return _caused(Unavailable(f"No answer came from {origin} in time."), cause)
    except (OSError, http.client.HTTPException) as cause:
        return _caused(Unavailable(f"{origin} could not be reached ({cause or type(cause).__name__})."), cause)
    if not (200 <= response.status < 300 or response.status == 304):
        return error_of(response.status, response.headers, response.body)
    request_id = response.headers.get("x-request-id")
    try:
        answered = json.loads(response.body) if response.body else None
    except ValueError as cause:
        error = PestleError("The answer is not JSON.", status=response.status, request_id=request_id)
        return _caused(error, cause)
    return Answer(response.status, response.headers, request_id, answered)


def _caused(error: PestleError, cause: BaseException) -> PestleError:
    error.__cause__ = cause
    return error
