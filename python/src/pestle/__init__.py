"""Call a Pestle pharmacy and verify its webhooks."""

from . import models, webhooks
from ._listing import AsyncListing, Listing
from ._transport import Answer, Request, Response, Transport
from ._version import __version__
from .aio import AsyncPestle
from .client import Pestle
from .errors import (
    Conflict,
    NotFound,
    PestleError,
    RateLimited,
    RequestRefused,
    Unauthorized,
    Unavailable,
    WebhookRefused,
)
from .tables import ERRORS, EVENT_TYPES, EXCEPTIONS, ErrorInfo, ExceptionInfo

__all__ = [
    "ERRORS",
    "EVENT_TYPES",
    "EXCEPTIONS",
    "Answer",
    "AsyncListing",
    "AsyncPestle",
    "Conflict",
    "ErrorInfo",
    "ExceptionInfo",
    "Listing",
    "NotFound",
    "Pestle",
    "PestleError",
    "RateLimited",
    "Request",
    "RequestRefused",
    "Response",
    "Transport",
    "Unauthorized",
    "Unavailable",
    "WebhookRefused",
    "__version__",
    "models",
    "webhooks",
]
