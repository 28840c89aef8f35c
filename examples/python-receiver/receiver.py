"""A receiver that does everything a receiver must: verify, store, process each event once, and only then answer."""

import json
import os
import signal
import sqlite3
import sys
import threading
from contextlib import closing
from http.server import ThreadingHTTPServer

from pestle.webhooks import Inbox, Receiver, SqliteStore, http_handler

settings = {name: os.environ.get(name, "") for name in ("CLIENT_SECRET", "WEBHOOK_SECRET", "SIGNING_SECRET")}
for name, value in settings.items():
    if not value:
        # Without it the receiver could not verify who sent a request.
        sys.exit(f"{name} is not set: the README beside this file says where it comes from.")
port = int(os.environ.get("PORT", "3000"))
url = os.environ.get("WEBHOOK_URL", f"http://127.0.0.1:{port}/hook")

database = os.environ.get("DATABASE", "events.db")
store = SqliteStore(database)
store.prepare(
    "create table if not exists received (event_id text primary key, event_type text, about text, body text)",
    "create table if not exists order_status (order_number text primary key, order_status text)",
    "create table if not exists changes (order_number text primary key, sequence integer, missing text)",
)


def keep(event, facts):
    """Runs in the transaction that records the event: both are saved, or neither is and the pharmacy sends it again."""
    about = event.get("order_number") or event.get("patient_id") or ""
    row = (event["event_id"], event["event_type"], about, json.dumps(event))
    facts.context.execute("insert into received values (?, ?, ?, ?)", row)
    # A late event must not overwrite what a newer one said.
    if event["event_type"] == "ORDER_UPDATED" and not facts.late:
        row = (event["order_number"], event["order_status"])
        facts.context.execute("insert or replace into order_status values (?, ?)", row)
    if "sequence" in event:
        row = (event["order_number"], event["sequence"], json.dumps(facts.missing))
        facts.context.execute(
            "insert into changes values (?, ?, ?) on conflict (order_number)"
            " do update set sequence = max(sequence, excluded.sequence), missing = excluded.missing",
            row,
        )
    print(event["event_type"], about, event["event_id"], "late" if facts.late else "", flush=True)


inbox = Inbox(
    otherwise=keep,
    on_test=lambda event: print("test", event["event_type"], event["event_id"], flush=True),
    on_gap=lambda gap: print("gap", gap.order_number, *gap.missing, flush=True),
    store=store,
)
receive = Receiver(
    inbox,
    url=url,
    # During a rotation, two secrets separated by a comma.
    client_secrets=settings["CLIENT_SECRET"].split(","),
    webhook_secret=settings["WEBHOOK_SECRET"],
    signing_secret=settings["SIGNING_SECRET"],
)


class Handler(http_handler(receive, "/hook")):
    """Also shows what `pestle certify --state` reads: every stored event, and each order's newest and missing changes."""

    def do_GET(self):
        if not os.environ.get("STATE") or self.path != "/state":
            return super().do_GET()
        with closing(sqlite3.connect(database)) as connection:
            events = [event_id for (event_id,) in connection.execute("select event_id from received")]
            changes = connection.execute("select order_number, sequence, missing from changes").fetchall()
        orders = {number: {"sequence": sequence, "missing": json.loads(missing)} for number, sequence, missing in changes}
        body = json.dumps({"events": events, "orders": orders}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
for sign in (signal.SIGTERM, signal.SIGINT):
    # `shutdown` waits for the loop below, so another thread must call it.
    signal.signal(sign, lambda *_: threading.Thread(target=server.shutdown).start())
print("listening", server.server_address[1], flush=True)
server.serve_forever(poll_interval=0.1)
server.server_close()
