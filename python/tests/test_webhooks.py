from __future__ import annotations

import asyncio
import http.client
import io
import os
import tempfile
import threading
import unittest
from http.server import ThreadingHTTPServer
from typing import Any, Optional

from pestle.inbox import Heard, hear
from pestle.webhooks import (
    EventFacts,
    Gap,
    Inbox,
    MemoryStore,
    Receiver,
    SqliteStore,
    WebhookRefused,
    asgi_app,
    http_handler,
    sign_for_test,
    verify,
    wsgi_app,
)

URL = "https://partner.example/hook"
SERVICE: dict[str, Any] = {"url": URL, "client_secrets": ["sek"], "webhook_secret": "wh"}
WHSEC = "whsec_cGVzdGxlLWV4YW1wbGUtc2VjcmV0LTAwMDE="


def event_of(number: int, sequence: Optional[int] = None, **more: Any) -> dict[str, Any]:
    ordered = {} if sequence is None else {"order_number": "A", "sequence": sequence}
    return {"event_id": f"e-{number}", "event_type": "ORDER_UPDATED", "note": "it's ~ é 💊", **ordered, **more}


def signed(event: dict[str, Any], now: Optional[float] = None) -> tuple[bytes, dict[str, str]]:
    return sign_for_test(
        event, url=URL, client_secret="sek", webhook_secret="wh", signing_secret=WHSEC, now=now
    )


class Verify(unittest.TestCase):
    # server/test/process/operations/docs-verifiers.test.ts runs `verify` on the vectors of all languages.

    def test_an_authentic_delivery_is_its_event(self) -> None:
        body, headers = signed(event_of(1))
        for secrets in (SERVICE, {"signing_secret": WHSEC}, {**SERVICE, "signing_secret": WHSEC}):
            self.assertEqual(verify(body, headers, **secrets), event_of(1))
        upper = [(name.upper(), value) for name, value in headers.items()]
        self.assertEqual(verify(body, upper, **SERVICE), event_of(1))

    def test_during_a_rotation_either_secret_fits(self) -> None:
        body, headers = signed(event_of(1))
        self.assertEqual(verify(body, headers, **{**SERVICE, "client_secrets": ["new", "sek"]}), event_of(1))

    def test_a_header_must_come_once(self) -> None:
        body, headers = signed(event_of(1))
        twice = [*headers.items(), ("Webhook-Id", "e-1")]
        with self.assertRaisesRegex(WebhookRefused, "one webhook-id header"):
            verify(body, twice, signing_secret=WHSEC)

    def test_old_and_early_deliveries_are_refused(self) -> None:
        for now, taken in ((700, True), (701, False), (100, True), (99, False)):
            body, headers = signed(event_of(1), now=400)
            try:
                verify(body, headers, signing_secret=WHSEC, now=now)
                self.assertTrue(taken, now)
            except WebhookRefused:
                self.assertFalse(taken, now)

    def test_missing_secrets_are_a_mistake_of_the_program(self) -> None:
        body, headers = signed(event_of(1))
        wrong: list[dict[str, Any]] = [
            {},
            {"url": URL},
            {**SERVICE, "client_secrets": []},
            {**SERVICE, "client_secrets": [""]},
            {**SERVICE, "webhook_secret": ""},
            {"signing_secret": "whsec_"},
        ]
        for secrets in wrong:
            with self.assertRaises(ValueError):
                verify(body, headers, **secrets)
            with self.assertRaises(ValueError):
                Receiver(Inbox(), **secrets)
        with self.assertRaises(TypeError):
            verify(body, headers, **{**SERVICE, "client_secrets": "sek"})
        with self.assertRaises(TypeError):
            verify(body.decode(), headers, **SERVICE)


class TakeOnce(unittest.TestCase):
    def stores(self) -> Any:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return [MemoryStore(), SqliteStore(os.path.join(folder.name, "inbox.db"))]

    def test_each_event_is_worked_through_once_and_late_ones_are_marked(self) -> None:
        for store in self.stores():
            worked: list[Any] = []
            gaps: list[Gap] = []

            def work(event: Any, facts: EventFacts) -> None:
                worked.append((event["event_id"], facts.late, facts.missing))

            inbox = Inbox({"ORDER_UPDATED": work}, on_gap=gaps.append, store=store)
            told = [inbox.take(event_of(number, number)) for number in (1, 3, 3, 2, 4)]
            self.assertEqual(told, ["worked", "worked", "duplicate", "worked", "worked"])
            self.assertEqual(
                worked, [("e-1", False, ()), ("e-3", False, (2,)), ("e-2", True, ()), ("e-4", False, ())]
            )
            self.assertEqual(gaps, [Gap("A", (2,))])

    def test_an_event_whose_handler_fails_comes_again(self) -> None:
        for store in self.stores():
            failing = [True]

            def work(event: Any, facts: EventFacts) -> None:
                if failing.pop() if failing else False:
                    raise RuntimeError("the database is away")

            inbox = Inbox(otherwise=work, store=store)
            with self.assertRaises(RuntimeError):
                inbox.take(event_of(1, 2))
            self.assertEqual(inbox.take(event_of(1, 1)), "worked")
            self.assertEqual(inbox.take(event_of(1, 1)), "duplicate")

    def test_concurrent_deliveries_of_an_event_work_once(self) -> None:
        for store in self.stores():
            worked: list[str] = []
            inbox = Inbox(otherwise=lambda event, facts: worked.append(event["event_id"]), store=store)
            threads = [threading.Thread(target=inbox.take, args=(event_of(1),)) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            self.assertEqual(worked, ["e-1"])

    def test_the_work_and_the_record_are_saved_together(self) -> None:
        _, store = self.stores()

        def work(event: Any, facts: EventFacts) -> None:
            facts.context.execute("create table done (event_id text)")
            raise RuntimeError

        with self.assertRaises(RuntimeError):
            Inbox(otherwise=work, store=store).take(event_of(1))
        tables: list[int] = []
        store.once("another", lambda db: tables.extend(db.execute("select 1 from sqlite_master where name = 'done'")))
        self.assertEqual(tables, [])

    def test_a_file_forgets_what_is_old(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "inbox.db")
            self.assertEqual(Inbox(store=SqliteStore(path)).take(event_of(1, 1)), "worked")
            self.assertEqual(Inbox(store=SqliteStore(path)).take(event_of(1, 1)), "duplicate")
            self.assertEqual(Inbox(store=SqliteStore(path, keep_days=-1)).take(event_of(1, 1)), "worked")

    def test_samples_and_unknown_types_do_no_work(self) -> None:
        samples: list[Any] = []
        inbox = Inbox(on_test=samples.append)
        self.assertEqual(inbox.take(event_of(1, test=True)), "test")
        self.assertEqual(inbox.take(event_of(2, event_type="NEW")), "worked")
        self.assertEqual(len(samples), 1)

    def test_memory_is_bounded(self) -> None:
        self.assertEqual(len(hear(Heard(0, ()), 10**9).missing), 1000)
        store = MemoryStore(most_events=2, most_orders=2)
        inbox = Inbox(store=store)
        for number in range(5):
            inbox.take({**event_of(number, 1), "order_number": str(number)})
        self.assertEqual((len(store._done), len(store._orders)), (2, 2))


class Answer(unittest.TestCase):
    def setUp(self) -> None:
        self.failing = False
        self.worked: list[str] = []
        self.errors: list[Exception] = []

        def work(event: Any, facts: EventFacts) -> None:
            if self.failing:
                raise RuntimeError
            self.worked.append(event["event_id"])

        self.receive = Receiver(Inbox(otherwise=work), on_error=self.errors.append, signing_secret=WHSEC, **SERVICE)

    def cases(self) -> list[tuple[str, bytes, dict[str, str], int]]:
        body, headers = signed(event_of(1))
        return [
            ("POST", body, headers, 204),
            ("POST", body, headers, 204),
            ("POST", body + b" ", headers, 401),
            ("POST", body, {}, 401),
            ("POST", b"x" * (4 * 1024 * 1024 + 1), headers, 413),
            ("GET", b"", {}, 405),
        ]

    def test_http_server(self) -> None:
        server = ThreadingHTTPServer(("127.0.0.1", 0), http_handler(self.receive, "/hook"))
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            def status(method: str, body: bytes, headers: dict[str, str], path: str = "/hook") -> int:
                connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=60)
                try:
                    connection.request(method, path, body, headers)
                    return connection.getresponse().status
                except (BrokenPipeError, ConnectionResetError):
                    # It answered before the whole body had arrived.
                    return 413
                finally:
                    connection.close()

            for method, body, headers, expected in self.cases():
                self.assertEqual(status(method, body, headers), expected)
            self.assertEqual(status("POST", b"{}", {}, "/other"), 404)
            self.failing = True
            self.assertEqual(status("POST", *signed(event_of(2))), 500)
            self.failing = False
            self.assertEqual(status("POST", *signed(event_of(2))), 204)
        finally:
            server.shutdown()
            server.server_close()
        self.assertEqual((self.worked, len(self.errors)), (["e-1", "e-2"], 1))

    def test_wsgi(self) -> None:
        app = wsgi_app(self.receive)
        for method, body, headers, expected in self.cases():
            lines: list[str] = []
            environ: dict[str, Any] = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
            environ.update({"REQUEST_METHOD": method, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)})
            app(environ, lambda line, _: lines.append(line))
            self.assertEqual(int(lines[0].split(" ")[0]), expected)
        self.assertEqual(self.worked, ["e-1"])

    def test_asgi(self) -> None:
        app = asgi_app(self.receive)

        async def status(method: str, body: bytes, headers: dict[str, str]) -> int:
            half = len(body) // 2
            parts = [
                {"type": "http.request", "body": body[:half], "more_body": True},
                {"type": "http.request", "body": body[half:]},
            ]
            sent: list[Any] = []

            async def read() -> Any:
                return parts.pop(0)

            async def send(message: Any) -> None:
                sent.append(message)

            raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
            await app({"type": "http", "method": method, "headers": raw}, read, send)
            return int(sent[0]["status"])

        for method, body, headers, expected in self.cases():
            self.assertEqual(asyncio.run(status(method, body, headers)), expected)
        self.assertEqual(self.worked, ["e-1"])
