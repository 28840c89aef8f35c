from __future__ import annotations

import json
import threading
from collections import OrderedDict
from typing import Callable

from ._transport import Answer, Request


class AnswerCache:
    """Keeps answers by ETag, so that unchanged ones are not sent again. Drops the least recently used."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Callable[[Answer], Answer]:
        """Makes a GET conditional if its answer is known. The returned function fills in the body of a 304."""
        # A caller that sends its own condition handles the 304 itself.
        conditional = any(name.lower() == "if-none-match" for name in request.headers)
        if request.method != "GET" or self._most <= 0 or conditional:
            return lambda answer: answer
        with self._lock:
            known = self._kept.get(request.url)
        if known is not None:
            request.headers["If-None-Match"] = known[0]

        def complete(answer: Answer) -> Answer:
            if answer.status == 304 and known is not None:
                self._keep(request.url, known)
                # Kept as text, so that callers cannot change a kept body.
                return Answer(answer.status, answer.headers, answer.request_id, json.loads(known[1]))
            etag = answer.headers.get("etag")
            if answer.status == 200 and etag is not None:
                self._keep(request.url, (etag, json.dumps(answer.body)))
            return answer

        return complete

    def _keep(self, url: str, entry: tuple[str, str]) -> None:
        with self._lock:
            self._kept[url] = entry
            self._kept.move_to_end(url)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
