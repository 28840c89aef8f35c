"""A server on loopback that answers as a test says, on real sockets."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, NamedTuple, Optional


class Seen(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int


class ScriptedServer:
    """Issues tokens by itself. `answer` gets each other request, and how many came before it."""

    def __init__(self, answer: Callable[[Seen, int], Any], token: Optional[Callable[[int], Any]] = None) -> None:
        self.seen: list[Seen] = []
        self.tokens: list[Seen] = []
        issue = token or (lambda count: (200, {}, {"access_token": f"token-{count}", "expires_in": 3600}))
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # It writes headers and body apart, and would wait 40 ms in between.
            disable_nagle_algorithm = True

            def _do(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                seen = Seen(self.command, self.path, headers, body, self.client_address[1])
                kept = outer.tokens if self.path == "/oauth/token" else outer.seen
                kept.append(seen)
                made = issue(len(kept) - 1) if kept is outer.tokens else answer(seen, len(kept) - 1)
                if made is None:
                    self.close_connection = True
                    return
                status, more, content = made
                text = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                sent = {"Content-Length": str(len(text)), **more}
                for name, value in sent.items():
                    self.send_header(name, value)
                try:
                    self.end_headers()
                    self.wfile.write(text)
                except ConnectionError:
                    # The client did not wait for it.
                    self.close_connection = True
                if sent.get("Connection") == "close" or sent["Content-Length"] != str(len(text)):
                    self.close_connection = True

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _do

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> ScriptedServer:
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
