"""Verify a webhook: the pharmacy sent exactly these bytes, to this endpoint, recently."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Optional, Union, cast
from urllib.parse import quote_plus

from .errors import WebhookRefused
from .models import WebhookEvent
from .tables import TIMESTAMP_TOLERANCE_S

Headers = Union[Mapping[str, str], Iterable[tuple[str, str]]]


def verify(
    body: bytes,
    headers: Headers,
    *,
    signing_secret: Optional[str] = None,
    url: Optional[str] = None,
    client_secrets: Optional[Sequence[str]] = None,
    webhook_secret: Optional[str] = None,
    operator_name: str = "Service",
    tolerance_s: float = TIMESTAMP_TOLERANCE_S,
    now: Optional[float] = None,
) -> WebhookEvent:
    """The event, if every scheme whose secrets you give matches; otherwise raises `WebhookRefused`.

    :param body: The raw bytes as received. A body that was parsed and written again no longer matches.
    :param headers: All headers of the request, in any case.
    :param signing_secret: `whsec_…`: verifies the Standard Webhooks headers, which also protect against replay.
    :param url: The URL as registered, even if a proxy rewrites it. Give it with `client_secrets` and `webhook_secret`
        to verify the two authenticity headers.
    :param client_secrets: During a rotation, both secrets.
    :param webhook_secret: The `secret` that you registered the endpoint with.
    :param operator_name: The pharmacy's name in the names of its headers.
    :param tolerance_s: How far the timestamp may be from now.
    :param now: The current Unix time, for tests.
    """
    service = [part is not None for part in (url, client_secrets, webhook_secret)]
    if any(service) and not all(service):
        raise ValueError("url, client_secrets and webhook_secret are given together.")
    if not any(service) and signing_secret is None:
        raise ValueError("There must be secrets to verify with.")
    if not isinstance(body, (bytes, bytearray, memoryview)):
        raise TypeError("body must be the raw bytes of the request.")
    raw = bytes(body)
    if signing_secret is not None:
        _verify_standard(raw, headers, signing_secret, tolerance_s, time.time() if now is None else now)
    if url is not None and client_secrets is not None and webhook_secret is not None:
        _verify_service(raw, headers, url, client_secrets, webhook_secret, operator_name)
    try:
        event = json.loads(raw)
    except ValueError as cause:
        raise WebhookRefused("The body is not JSON.") from cause
    if not isinstance(event, dict):
        raise WebhookRefused("The body is not an event.")
    return cast(WebhookEvent, event)


def sign_for_test(
    event: Mapping[str, Any],
    *,
    url: str,
    client_secret: str,
    webhook_secret: str,
    signing_secret: Optional[str] = None,
    operator_name: str = "Service",
    now: Optional[float] = None,
) -> tuple[bytes, dict[str, str]]:
    """The body and the headers that the pharmacy would send for this event, for tests of a receiver."""
    text = json.dumps(event, separators=(",", ":"))
    # The pharmacy escapes the signs on which form encoders disagree.
    body = re.sub(r"[!'()*~]", lambda sign: f"\\u{ord(sign[0]):04x}", text).encode()
    key = _key(client_secret)
    signature_name, secret_name = _header_names(operator_name)
    headers = {
        "content-type": "application/json",
        signature_name: _service_signature(key, url, body),
        secret_name: _sign(key, webhook_secret.encode()),
    }
    if signing_secret is not None:
        timestamp = str(int(time.time() if now is None else now))
        event_id = str(event["event_id"])
        headers["webhook-id"] = event_id
        headers["webhook-timestamp"] = timestamp
        headers["webhook-signature"] = _standard_signature(signing_secret, event_id, timestamp, body)
    return body, headers


def _verify_standard(body: bytes, headers: Headers, signing_secret: str, tolerance_s: float, now: float) -> None:
    if not re.fullmatch(r"(whsec_)?[A-Za-z0-9+/=]{4,}", signing_secret):
        raise ValueError("signing_secret must be `whsec_…`.")
    event_id = _header(headers, "webhook-id")
    timestamp = _header(headers, "webhook-timestamp")
    signatures = _header(headers, "webhook-signature")
    recent = re.fullmatch(r"[0-9]{1,15}", timestamp) and abs(now - int(timestamp)) <= tolerance_s
    expected = _standard_signature(signing_secret, event_id, timestamp, body)
    fits = any([_same(expected, signature) for signature in signatures.split(" ")])
    if not recent or not fits:
        raise WebhookRefused("The signature does not fit, or the timestamp is too far from now.")


def _verify_service(
    body: bytes, headers: Headers, url: str, client_secrets: Sequence[str], webhook_secret: str, operator_name: str
) -> None:
    if isinstance(client_secrets, str):
        raise TypeError("client_secrets must be a list.")
    # An empty secret is a missing setting, and anyone could sign with it.
    if not client_secrets or not all(client_secrets) or not webhook_secret:
        raise ValueError("client_secrets and webhook_secret must not be empty.")
    signature_name, secret_name = _header_names(operator_name)
    signature, secret = _header(headers, signature_name), _header(headers, secret_name)

    def fits(client_secret: str) -> bool:
        key = _key(client_secret)
        signed = _same(_service_signature(key, url, body), signature)
        return _same(_sign(key, webhook_secret.encode()), secret) and signed

    if not any([fits(client_secret) for client_secret in client_secrets]):
        raise WebhookRefused("The signature or the secret does not fit.")


def _key(client_secret: str) -> bytes:
    return hashlib.sha256(client_secret.encode()).hexdigest().encode()


def _service_signature(key: bytes, url: str, body: bytes) -> str:
    # quote_plus keeps A-Z a-z 0-9 _ . - ~ and encodes a space as +, as the scheme requires.
    return _sign(key, quote_plus(b"POST" + url.encode() + body).encode())


def _sign(key: bytes, text: bytes) -> str:
    # The newline follows the digest before base64.
    return base64.b64encode(hmac.new(key, text, hashlib.sha1).digest() + b"\n").decode()


def _standard_signature(signing_secret: str, event_id: str, timestamp: str, body: bytes) -> str:
    encoded = re.sub("^whsec_", "", signing_secret)
    # Secrets are compared as Base64 decoders of other languages read them: without their padding too.
    secret = base64.b64decode(encoded.rstrip("=") + "=" * (-len(encoded.rstrip("=")) % 4))
    signed = f"{event_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()


def _header_names(operator_name: str) -> tuple[str, str]:
    word = re.sub(r"^-|-$", "", re.sub(r"[^A-Za-z0-9]+", "-", operator_name)) or "Service"
    return f"X-{word}-Signature", f"X-{word}-Secret"


def _header(headers: Headers, name: str) -> str:
    pairs = headers.items() if isinstance(headers, Mapping) or hasattr(headers, "items") else headers
    values = [value for given, value in cast(Iterable[tuple[str, str]], pairs) if given.lower() == name.lower()]
    if len(values) != 1 or not isinstance(values[0], str):
        raise WebhookRefused(f"There must be one {name} header.")
    return values[0]


def _same(expected: str, received: str) -> bool:
    """Constant time: depends only on the lengths."""
    return hmac.compare_digest(expected.encode(), received.encode("utf-8", "surrogatepass"))
