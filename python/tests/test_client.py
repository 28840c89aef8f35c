from __future__ import annotations

import asyncio
import json
import threading
import unittest
from typing import Any

from pestle import (
    ERRORS,
    AsyncPestle,
    Conflict,
    NotFound,
    Pestle,
    PestleError,
    RateLimited,
    RequestRefused,
    Response,
    Unauthorized,
    Unavailable,
)
from pestle._token import TokenSource
from pestle._transport import wait_before

from .scripted_server import ScriptedServer, Seen


def client_of(server: ScriptedServer, **options: Any) -> Pestle:
    pestle = Pestle("an id", "a secret", base_url=server.url, auth_url=server.url, **options)
    # The waits between attempts count, but take no time.
    waits: list[float] = []
    moved = [0.0]
    clock = pestle._travel.clock

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        moved[0] += seconds

    pestle._travel.sleep = sleep
    pestle._travel.clock = lambda: clock() + moved[0]
    pestle.waits = waits
    return pestle


OK = (200, {}, {"brands": []})


class Retries(unittest.TestCase):
    def test_a_call_is_repeated_with_the_same_key_and_bytes_until_it_is_answered(self) -> None:
        answers = [(503, {"Retry-After": "2"}, {}), (429, {"Connection": "close"}, {}), None, (201, {}, {"id": "e"})]
        with ScriptedServer(lambda seen, count: answers[count]) as server, client_of(server) as pestle:
            made = pestle.create_webhook_endpoint({"url": "https://p.example/hook", "secret": "sé"})
            self.assertEqual(made["id"], "e")
            self.assertEqual(len(server.seen), 4)
            self.assertEqual(len({(seen.body, seen.headers["idempotency-key"]) for seen in server.seen}), 1)
            self.assertEqual(json.loads(server.seen[0].body)["secret"], "sé")
            self.assertEqual(len(pestle.waits), 3)
            self.assertGreaterEqual(pestle.waits[0], 2)

    def test_it_fails_when_the_next_attempt_would_be_after_the_deadline(self) -> None:
        with ScriptedServer(lambda seen, count: (503, {}, {})) as server, client_of(server) as pestle:
            with self.assertRaises(Unavailable) as raised:
                pestle.list_brands()
            self.assertEqual(raised.exception.status, 503)
            waited = sum(pestle.waits)
            self.assertTrue(20 < waited < 30, waited)

    def test_retries_is_a_maximum(self) -> None:
        with ScriptedServer(lambda seen, count: (429, {}, {})) as server, client_of(server, retries=2) as pestle:
            with self.assertRaises(RateLimited):
                pestle.list_brands()
            self.assertEqual(len(server.seen), 3)

    def test_a_refusal_is_not_repeated(self) -> None:
        for status in (400, 404, 405, 409, 422, 500):
            with ScriptedServer(lambda seen, count: (status, {}, {})) as server, client_of(server) as pestle:
                with self.assertRaises(PestleError) as raised:
                    pestle.get_order("A")
                self.assertEqual((raised.exception.status, len(server.seen)), (status, 1))

    def test_a_truncated_answer_is_repeated(self) -> None:
        answers = [(200, {"Content-Length": "1000"}, b'{"brands"'), OK]
        with ScriptedServer(lambda seen, count: answers[count]) as server, client_of(server) as pestle:
            self.assertEqual(pestle.list_brands(), [])

    def test_a_record_that_a_lost_attempt_deleted_counts_as_deleted(self) -> None:
        answers = [None, (404, {}, {}), (404, {}, {})]
        with ScriptedServer(lambda seen, count: answers[count]) as server, client_of(server) as pestle:
            pestle.remove_webhook_endpoint("e")
            with self.assertRaises(NotFound):
                pestle.remove_webhook_endpoint("e")

    def test_an_attempt_without_an_answer_ends_in_time(self) -> None:
        release = threading.Event()

        def answer(seen: Seen, count: int) -> Any:
            if count == 0:
                release.wait(60)
            return OK

        with ScriptedServer(answer) as server, client_of(server, attempt_timeout_s=0.2) as pestle:
            self.assertEqual(pestle.list_brands(), [])
            release.set()

    def test_an_address_without_a_service_is_named(self) -> None:
        with ScriptedServer(lambda seen, count: OK) as server:
            url = server.url
        pestle = Pestle("i", "s", base_url=url, auth_url=url, retries=0)
        with self.assertRaisesRegex(Unavailable, f"{url} could not be reached"):
            pestle.list_brands()

    def test_waits_double_to_a_limit_and_respect_the_server(self) -> None:
        self.assertEqual([wait_before(attempt, None, 0) for attempt in (0, 1, 4, 5, 50)], [0.1, 0.2, 1.6, 2.5, 2.5])
        self.assertEqual(wait_before(0, 7, 0.5), 7.05)

    def test_a_redirect_is_not_followed(self) -> None:
        with ScriptedServer(lambda seen, count: (302, {"Location": "/other"}, {})) as server:
            with client_of(server) as pestle, self.assertRaises(PestleError):
                pestle.list_brands()
            self.assertEqual(len(server.seen), 1)


class Connections(unittest.TestCase):
    def test_calls_share_a_connection_and_survive_its_end(self) -> None:
        answers = [OK, OK, (200, {"Connection": "close"}, {"brands": []}), OK, None, OK]
        with ScriptedServer(lambda seen, count: answers[count]) as server, client_of(server) as pestle:
            for _ in range(5):
                pestle.list_brands()
            # The server ends the kept connection without an answer: the next attempt needs no wait.
            first, second, third, fourth, _, fifth = (seen.connection for seen in server.seen)
            self.assertEqual((first, second), (second, third))
            self.assertEqual(len({third, fourth, fifth}), 3)
            self.assertEqual(pestle.waits, [])


class Tokens(unittest.TestCase):
    def test_the_credentials_are_form_encoded_and_the_token_is_kept(self) -> None:
        with ScriptedServer(lambda seen, count: OK) as server, client_of(server) as pestle:
            pestle.list_brands()
            pestle.list_brands()
            self.assertEqual(len(server.tokens), 1)
            self.assertEqual(server.tokens[0].headers["authorization"], "Basic YW4raWQ6YStzZWNyZXQ=")
            self.assertEqual(server.tokens[0].body, b"grant_type=client_credentials&scope=partners")

    def test_a_revoked_token_is_renewed_once(self) -> None:
        refusal = (401, {}, {"error": "invalid_token", "error_description": "revoked"})
        answers = [refusal, OK, refusal, refusal]
        with ScriptedServer(lambda seen, count: answers[count]) as server, client_of(server) as pestle:
            self.assertEqual(pestle.list_brands(), [])
            self.assertEqual(server.seen[1].headers["authorization"], "Bearer token-1")
            with self.assertRaisesRegex(Unauthorized, "invalid_token: revoked"):
                pestle.list_brands()

    def test_wrong_credentials_raise_at_once(self) -> None:
        refused = (400, {}, {"error": "invalid_client", "error_description": "unknown"})
        with ScriptedServer(lambda seen, count: OK, lambda count: refused) as server, client_of(server) as pestle:
            with self.assertRaises(Unauthorized) as raised:
                pestle.list_brands()
            self.assertEqual(raised.exception.error, "invalid_client")

    def test_an_assertion_replaces_the_secret(self) -> None:
        with ScriptedServer(lambda seen, count: OK) as server:
            options = {"base_url": server.url, "auth_url": server.url}
            with Pestle("id", client_assertion=lambda who, to: f"{who} {to}", **options) as pestle:
                pestle.list_brands()
            self.assertIn(b"client_assertion=id+http", server.tokens[0].body)
            self.assertNotIn("authorization", server.tokens[0].headers)

    def test_a_token_is_renewed_early_and_kept_if_that_fails(self) -> None:
        now = [0.0]
        issued: list[Any] = [{"access_token": "a", "expires_in": 100}, Unavailable("no"), {"access_token": "b", "expires_in": 100}]

        def issue(until: float) -> dict[str, Any]:
            made = issued.pop(0)
            if isinstance(made, Exception):
                raise made
            return dict(made)

        tokens = TokenSource(issue, lambda: now[0])
        told = []
        for now[0] in (0, 89, 91, 92, 97):
            told.append(tokens.get(1000))
        self.assertEqual(told, ["a", "a", "a", "a", "b"])
        tokens.drop("a")
        self.assertEqual(tokens.get(1000), "b")

    def test_threads_wait_for_one_token(self) -> None:
        with ScriptedServer(lambda seen, count: OK) as server, client_of(server) as pestle:
            threads = [threading.Thread(target=pestle.list_brands) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(60)
            self.assertEqual((len(server.tokens), len(server.seen)), (1, 8))


class Errors(unittest.TestCase):
    def test_a_refusal_names_codes_fields_and_the_request(self) -> None:
        detail = {"field": "items[0].sku", "message": "Use a SKU.", "problem": "unknown", "did_you_mean": "a-20"}
        body = {"errors": [{"code": 42243, "message": "Bad", "error_detail": [detail], "doc_url": "d"}]}
        answer = (422, {"X-Request-Id": "r"}, body)
        with ScriptedServer(lambda seen, count: answer) as server, client_of(server) as pestle:
            with self.assertRaises(RequestRefused) as raised:
                pestle.create_order({})
            error = raised.exception
            self.assertEqual((str(error), error.codes, error.request_id, error.doc_url), ("42243 Bad", [42243], "r", "d"))
            self.assertEqual(error.fields, [{**detail, "code": 42243}])
            self.assertIn(42243, ERRORS)

    def test_an_answer_of_a_proxy_is_an_error_too(self) -> None:
        for status, text in ((502, b"<html>"), (500, b"[]"), (404, b'{"error": 7}'), (200, b"<html>")):
            with ScriptedServer(lambda seen, count: (status, {}, text)) as server, client_of(server) as pestle:
                with self.assertRaises(PestleError) as raised:
                    pestle.list_brands()
                self.assertEqual(raised.exception.status, status)

    def test_options_are_checked_together_and_never_shown(self) -> None:
        with self.assertRaises(ValueError) as raised:
            Pestle("", None, base_url="http://p.example", auth_url="ftp://secret", deadline_s=0, retries=-1)
        said = str(raised.exception)
        for name in ("client_id", "client_secret", "base_url", "auth_url", "deadline_s", "retries"):
            self.assertIn(name, said)
        self.assertNotIn("secret.", said.replace("client_secret", ""))
        self.assertNotIn("ftp", said)
        with self.assertRaisesRegex(ValueError, "PESTLE_CLIENT_SECRET, PESTLE_AUTH_URL must be set"):
            Pestle.from_env({"PESTLE_CLIENT_ID": "i", "PESTLE_BASE_URL": "https://p.example"})

    def test_an_id_cannot_leave_its_path(self) -> None:
        with ScriptedServer(lambda seen, count: OK) as server, client_of(server) as pestle:
            for wrong in ("", ".", ".."):
                with self.assertRaises(ValueError):
                    pestle.get_order(wrong)
            pestle.get_order("a/../b?c")
            self.assertEqual(server.seen[0].path, "/v1/orders/a%2F..%2Fb%3Fc")


class Requests(unittest.TestCase):
    def test_queries_leave_out_none_and_repeat_lists(self) -> None:
        with ScriptedServer(lambda seen, count: (200, {}, [])) as server, client_of(server) as pestle:
            pestle.list_products(sku=["a-20", "b c"])
            pestle.request("GET", "/v1/products", query={"x": True, "y": None, "z": 3})
            self.assertEqual(server.seen[0].path, "/v1/products?sku%5B%5D=a-20&sku%5B%5D=b+c")
            self.assertEqual(server.seen[1].path, "/v1/products?x=true&z=3")

    def test_pages_load_as_needed(self) -> None:
        pages = [{"orders": [1, 2], "next_cursor": "c"}, {"orders": [3], "next_cursor": None}]
        with ScriptedServer(lambda seen, count: (200, {}, pages["cursor=c" in seen.path])) as server:
            with client_of(server) as pestle:
                self.assertEqual(pestle.list_orders(limit=2).take(2), [1, 2])
                self.assertEqual(len(server.seen), 1)
                self.assertEqual(list(pestle.list_orders(limit=2)), [1, 2, 3])
                self.assertEqual(server.seen[-1].path, "/v1/orders?limit=2&cursor=c")

    def test_an_unchanged_answer_comes_from_memory(self) -> None:
        def answer(seen: Seen, count: int) -> Any:
            known = seen.headers.get("if-none-match") == 'W/"1"'
            return (304, {}, b"") if known else (200, {"ETag": 'W/"1"'}, {"brands": [{"id": 1}]})

        with ScriptedServer(answer) as server, client_of(server, keep_answers=1) as pestle:
            pestle.list_brands()[0]["id"] = 7
            self.assertEqual(pestle.list_brands(), [{"id": 1}])
            pestle.request("GET", "/v1/other")
            self.assertNotIn("if-none-match", server.seen[-1].headers)

    def test_a_transport_of_your_own_sends_the_requests(self) -> None:
        sent = []

        def transport(request: Any, body: Any, timeout_s: float) -> Response:
            sent.append(request.url)
            token = {"access_token": "t", "expires_in": 60}
            return Response(200, {}, json.dumps(token if "oauth" in request.url else {"brands": []}).encode())

        pestle = Pestle("i", "s", base_url="https://p.example", auth_url="https://a.example", transport=transport)
        self.assertEqual(pestle.list_brands(), [])
        self.assertEqual(sent, ["https://a.example/oauth/token", "https://p.example/v1/brands"])


class Conflicts(unittest.TestCase):
    ORDER = {"patient": {"patient_id": "p"}, "items": [{"prescription_id": 5}], "shipping": {"method_id": 1}, "reference": "r"}

    def made(self, number: str) -> dict[str, Any]:
        items = [{"prescription_id": 5, "sku": "a-20"}]
        at = "2999-01-01T00:00:00.000Z"
        return {"order_number": number, "reference": "r", "items": items, "created_at": at, "patient_id": "p"}

    def test_an_earlier_request_with_the_same_body_raises_with_its_order(self) -> None:
        def answer(seen: Seen, count: int) -> Any:
            if seen.method == "POST":
                return (409, {}, {"error": {"error_code": 409, "message": "Twice", "order_number": "A"}})
            return (200, {}, self.made("A"))

        with ScriptedServer(answer) as server, client_of(server) as pestle:
            with self.assertRaises(Conflict) as raised:
                pestle.create_order(self.ORDER)
            self.assertEqual(raised.exception.order and raised.exception.order["order_number"], "A")

    def test_a_request_still_in_progress_is_looked_up_and_never_sent_again(self) -> None:
        def answer(seen: Seen, count: int) -> Any:
            if seen.method == "POST":
                return (409, {}, {"error": {"error_code": 409, "message": "Busy"}})
            other = {**self.made("B"), "items": [{"prescription_id": 6, "sku": "b"}]}
            return (200, {}, {"orders": [other] + [self.made("A")] * (count > 2), "next_cursor": None})

        with ScriptedServer(answer) as server, client_of(server) as pestle:
            self.assertEqual(pestle.create_order(self.ORDER)["order_number"], "A")
            self.assertEqual([seen.method for seen in server.seen], ["POST", "GET", "GET", "GET"])
            self.assertIn("patient_id=p&reference=r", server.seen[1].path)


class Async(unittest.TestCase):
    def test_coroutines_run_at_the_same_time(self) -> None:
        together = threading.Barrier(4, timeout=60)

        def answer(seen: Seen, count: int) -> Any:
            if "brands" in seen.path:
                together.wait()
                return OK
            return (200, {}, {"orders": [1], "next_cursor": None})

        async def run(url: str) -> None:
            async with AsyncPestle("i", "s", base_url=url, auth_url=url) as pestle:
                answers = await asyncio.gather(*[pestle.list_brands() for _ in range(4)])
                self.assertEqual(answers, [[]] * 4)
                self.assertEqual([order async for order in pestle.list_orders()], [1])
                self.assertEqual(await pestle.list_orders().take(1), [1])

        with ScriptedServer(answer) as server:
            asyncio.run(run(server.url))
