"""Verifies a webhook with Python's standard library alone (3.9 or later).

`body` is the raw request body (bytes); `headers` is a mapping with lower-case names.
"""

import base64
import hashlib
import hmac
import time
from urllib.parse import quote_plus

SERVICE = "service"  # The pharmacy's name in its header names.
TOLERANCE_S = 300


def verify_service(url, body, headers, client_secret, webhook_secret):
    """True if the pharmacy sent this to `url`, exactly as registered, for the endpoint with this secret."""
    key = hashlib.sha256(client_secret.encode()).hexdigest().encode()
    # quote_plus keeps A-Z a-z 0-9 _ . - ~ and encodes a space as +, as the scheme requires.
    signature = _sign(key, quote_plus(b"POST" + url.encode() + body).encode())
    return _same(signature, headers.get(f"x-{SERVICE}-signature", "")) and _same(
        _sign(key, webhook_secret.encode()), headers.get(f"x-{SERVICE}-secret", "")
    )


def verify_standard(body, headers, signing_secret, now=None):
    """Checks the Standard Webhooks headers, which also prevent replays."""
    timestamp = headers.get("webhook-timestamp", "")
    now = time.time() if now is None else now
    if not (timestamp.isascii() and timestamp.isdigit()) or abs(now - int(timestamp)) > TOLERANCE_S:
        return False
    secret = base64.b64decode(signing_secret.removeprefix("whsec_"))
    signed = f"{headers.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
    return any(_same(expected, signature) for signature in headers.get("webhook-signature", "").split(" "))


def _sign(key, text):
    # Append the newline to the digest before base64.
    return base64.b64encode(hmac.new(key, text, hashlib.sha1).digest() + b"\n").decode()


def _same(expected, received):
    return hmac.compare_digest(expected.encode(), received.encode())
