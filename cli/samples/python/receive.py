"""Receives webhooks and trusts none before it has verified it."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from settings import settings
from verify import verify_service, verify_standard

URL = settings["WEBHOOK_URL"]
# In production this is a table with a unique key: the same event can come twice.
seen = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        # The signatures cover these bytes, so verify before you parse.
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        good = verify_standard(body, headers, settings["SIGNING_SECRET"]) and verify_service(
            URL, body, headers, settings["CLIENT_SECRET"], settings["WEBHOOK_SECRET"]
        )
        if not good:
            print("refused", flush=True)
            return self.answer(401)
        event = json.loads(body)
        is_new = event["event_id"] not in seen
        # Store the event here, then answer.
        seen.add(event["event_id"])
        self.answer(204)
        if is_new:
            details = [event[name] for name in ("order_number", "order_status") if name in event]
            print("verified", event["event_type"], *details, flush=True)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *args):
        """Nothing: request lines can contain ids."""


server = ThreadingHTTPServer(("127.0.0.1", urlsplit(URL).port), Receiver)
print("listening at", URL, flush=True)
server.serve_forever()
