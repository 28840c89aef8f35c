"""Verifies webhook requests, one JSON object a line, with nothing but Python's standard library."""

import base64
import hashlib
import hmac
import json
import sys
from urllib.parse import quote_plus


def digest_and_newline(key, text):
    return base64.b64encode(hmac.new(key, text, hashlib.sha1).digest() + b"\n").decode()


verified = 0
for line in sys.stdin:
    sent = json.loads(line)
    body = base64.b64decode(sent["body"])
    key = hashlib.sha256(sent["client_secret"].encode()).hexdigest().encode()

    base = quote_plus("POST" + sent["url"] + body.decode("ascii")).encode()
    if digest_and_newline(key, base) != sent["signature"]:
        sys.exit(f"line {verified + 1}: the signature is not what the rule gives")
    if digest_and_newline(key, sent["webhook_secret"].encode()) != sent["secret"]:
        sys.exit(f"line {verified + 1}: the secret is not what the rule gives")

    signed = f"{sent['webhook_id']}.{sent['webhook_timestamp']}.".encode() + body
    secret = base64.b64decode(sent["signing_secret"].removeprefix("whsec_"))
    standard = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    if "v1," + standard not in sent["webhook_signature"].split(" "):
        sys.exit(f"line {verified + 1}: the Standard Webhooks signature does not verify")
    if json.loads(body)["event_id"] != sent["webhook_id"]:
        sys.exit(f"line {verified + 1}: the id is not the event's")
    verified += 1
print(verified)
