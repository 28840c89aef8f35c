"""Receive webhooks: verify each one, work through each event once, and answer."""

from .errors import WebhookRefused
from .inbox import EventFacts, Gap, Inbox, MemoryStore, SqliteStore, Store
from .models import WebhookEvent
from .receiver import Receiver, asgi_app, http_handler, wsgi_app
from .verifying import sign_for_test, verify

__all__ = [
    "EventFacts",
    "Gap",
    "Inbox",
    "MemoryStore",
    "Receiver",
    "SqliteStore",
    "Store",
    "WebhookEvent",
    "WebhookRefused",
    "asgi_app",
    "http_handler",
    "sign_for_test",
    "verify",
    "wsgi_app",
]
