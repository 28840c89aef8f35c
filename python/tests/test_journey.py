"""Against a running sandbox: PESTLE_CLIENT_ID, PESTLE_CLIENT_SECRET, PESTLE_BASE_URL and PESTLE_AUTH_URL name it."""

from __future__ import annotations

import asyncio
import os
import queue
import threading
import unittest
import uuid
from http.server import ThreadingHTTPServer
from typing import Any

from pestle import EXCEPTIONS, AsyncPestle, Conflict, NotFound, Pestle, RequestRefused, Unauthorized
from pestle.models import OrderRequest
from pestle.webhooks import Inbox, Receiver, http_handler, sign_for_test

WAIT_S = 60


@unittest.skipUnless("PESTLE_BASE_URL" in os.environ, "needs a running service")
class Journey(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.pestle = Pestle.from_env()
        cls.addClassCleanup(cls.pestle.close)

    def order(self, **more: Any) -> OrderRequest:
        made = self.pestle.simulate_prescription({"drug_name": "atorvastatin"})
        return {
            "reference": str(uuid.uuid4()),
            "shipping": {"method_id": 1},
            "patient": {"patient_id": made["patient_id"] or ""},
            "items": [{"prescription_id": made["prescription_id"] or 0}],
            **more,
        }

    def test_from_a_prescription_to_the_door(self) -> None:
        body = self.order()
        tried = self.pestle.dry_run_order(body)
        self.assertTrue(tried["would_create"])
        order = self.pestle.create_order(body)
        self.assertEqual(order["order_status"], "Processing")
        self.assertEqual(self.pestle.find_order(body), self.pestle.get_order(order["order_number"]))
        self.pestle.simulate_order({"order_number": order["order_number"], "to": "Delivered"})
        self.assertEqual(self.pestle.get_order(order["order_number"])["order_status"], "Delivered")
        statuses = [entry["to"] for entry in self.pestle.list_order_history(order["order_number"], limit=2)]
        self.assertEqual((statuses[0], statuses[-1]), ("Delivered", "Processing"))
        prescriptions = list(self.pestle.list_patient_prescriptions(body["patient"]["patient_id"]))
        self.assertEqual(prescriptions[0]["prescription_id"], body["items"][0].get("prescription_id"))

    def test_a_refusal_says_what_is_wrong(self) -> None:
        with self.assertRaises(RequestRefused) as raised:
            self.pestle.create_order({"items": [], "shiping": 1})
        self.assertEqual(raised.exception.status, 422)
        self.assertIn("shipping", [field.get("did_you_mean") for field in raised.exception.fields])
        self.assertTrue(raised.exception.request_id)
        with self.assertRaises(NotFound):
            self.pestle.get_order("0000000000")
        stranger = Pestle.from_env({**os.environ, "PESTLE_CLIENT_SECRET": "wrong"})
        with self.assertRaises(Unauthorized) as refused:
            stranger.list_brands()
        self.assertEqual(refused.exception.error, "invalid_client")

    def test_a_repeated_key_replays_and_a_repeated_body_conflicts(self) -> None:
        body, key = self.order(), str(uuid.uuid4())
        first = self.pestle.create_order(body, idempotency_key=key)
        self.assertEqual(self.pestle.create_order(body, idempotency_key=key), first)
        replay = self.pestle.request("POST", "/v1/orders", body=body, idempotency_key=key)
        self.assertEqual(replay.headers["idempotent-replayed"], "true")
        with self.assertRaises(Conflict) as raised:
            self.pestle.create_order(body)
        self.assertEqual(raised.exception.order_number, first["order_number"])
        self.assertEqual(raised.exception.order and raised.exception.order["reference"], first["reference"])

    def test_a_list_is_read_to_its_end_once_each(self) -> None:
        for _ in range(3):
            self.order()
        ids = [event["event_id"] for event in self.pestle.list_webhook_events(limit=1)]
        self.assertGreaterEqual(len(ids), 3)
        self.assertEqual(len(ids), len(set(ids)))
        events, cursor = next(iter(self.pestle.follow_webhook_events()))
        self.assertEqual([event["event_id"] for event in events][: len(ids)], ids)
        self.assertTrue(cursor)

    def test_a_hold_begins_and_ends(self) -> None:
        number = self.pestle.create_order(self.order())["order_number"]
        held = self.pestle.request_order_action(number, {"event": "hold"})["order"]
        self.assertEqual(held["order_status"], "On Hold")
        exception = held["exception"]
        self.assertTrue(exception and EXCEPTIONS[exception["id"]].name == "Partner Hold")
        self.assertIn("release", EXCEPTIONS[64].actions)
        released = self.pestle.request_order_action(number, {"event": "release"})["order"]
        self.assertEqual(released["order_status"], "Processing")

    def test_an_unchanged_record_is_not_sent_again(self) -> None:
        with Pestle.from_env(keep_answers=10) as pestle:
            first = pestle.request("GET", "/v1/brands")
            again = pestle.request("GET", "/v1/brands")
            self.assertEqual((first.status, again.status, again.body), (200, 304, first.body))

    def test_webhooks_are_verified_and_worked_through_once(self) -> None:
        told: queue.Queue[tuple[str, str]] = queue.Queue()
        handler = http_handler(lambda body, headers: receive(body, headers), "/hook")
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        url = f"http://127.0.0.1:{server.server_address[1]}/hook"
        made = self.pestle.create_webhook_endpoint({"url": url, "secret": "a secret", "events": ["RX_RECEIVED"]})
        secrets: dict[str, Any] = {
            "url": url,
            "client_secrets": [os.environ["PESTLE_CLIENT_SECRET"]],
            "webhook_secret": "a secret",
            "signing_secret": made["signing_secret"],
        }
        inbox = Inbox(
            {"RX_RECEIVED": lambda event, facts: told.put(("event", event["patient_id"]))},
            on_test=lambda event: told.put(("test", event["event_id"])),
        )
        receive = Receiver(inbox, **secrets)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            sample = self.pestle.test_webhook_endpoint(made["id"])
            self.assertEqual(told.get(timeout=WAIT_S), ("test", sample["event_id"]))
            patient = self.order()["patient"]["patient_id"]
            self.assertEqual(told.get(timeout=WAIT_S), ("event", patient))
            # A delivery that this client signs as the pharmacy does is a duplicate of it.
            received = [event for event in self.pestle.list_webhook_events(event_type="RX_RECEIVED")][-1]
            body, headers = sign_for_test(
                received["body"],
                url=url,
                client_secret=os.environ["PESTLE_CLIENT_SECRET"],
                webhook_secret="a secret",
                signing_secret=made["signing_secret"],
            )
            self.assertEqual(receive(body, headers), 204)
            self.assertTrue(told.empty())
        finally:
            self.pestle.remove_webhook_endpoint(made["id"])
            server.shutdown()
            server.server_close()

    def test_the_same_with_asyncio(self) -> None:
        async def run() -> None:
            async with AsyncPestle.from_env() as pestle:
                rx = await pestle.simulate_prescription({"drug_name": "atorvastatin"})
                order = await pestle.create_order(
                    {
                        "shipping": {"method_id": 1},
                        "patient": {"patient_id": rx["patient_id"] or ""},
                        "items": [{"prescription_id": rx["prescription_id"] or 0}],
                    }
                )
                found = [one["order_number"] async for one in pestle.list_orders(patient_id=rx["patient_id"])]
                self.assertEqual(found, [order["order_number"]])
                brands, methods = await asyncio.gather(pestle.list_brands(), pestle.list_shipping_methods())
                self.assertTrue(brands and methods)
                async for events, cursor in pestle.follow_webhook_events(order_number=order["order_number"]):
                    self.assertTrue(events and cursor)
                    break

        asyncio.run(run())
