"""What a call can raise. The names are the same as in the SDK for Node."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Optional

from .models import Error, Order


class PestleError(Exception):
    """The base class of all errors. Messages come from the service and never contain request data."""

    status: Optional[int]
    """The HTTP status; None without a response."""
    request_id: Optional[str]
    """Quote it when you report a problem."""
    doc_url: Optional[str]
    """Where the documentation explains the error, or the first one of several."""
    error: Optional[str]
    """The OAuth error, such as `invalid_token`, if any."""
    errors: list[Error]
    """Every problem of a refused request, one entry per code."""
    order_number: Optional[str]
    """The earlier order that a 409 is about, if known."""
    retry_after_s: Optional[int]
    """How long to wait before you try again, if the service says so."""

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        doc_url: Optional[str] = None,
        error: Optional[str] = None,
        errors: Optional[list[Error]] = None,
        order_number: Optional[str] = None,
        retry_after_s: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.request_id = request_id
        self.errors = errors or []
        self.doc_url = doc_url or next((entry["doc_url"] for entry in self.errors if "doc_url" in entry), None)
        self.error = error
        self.order_number = order_number
        self.retry_after_s = retry_after_s

    @property
    def codes(self) -> list[int]:
        """The numbers of the problems. `pestle.ERRORS` explains them; a later service can answer with new ones."""
        return [entry["code"] for entry in self.errors]

    @property
    def fields(self) -> list[dict[str, Any]]:
        """Every wrong field, with its `code`, `problem` and `did_you_mean`."""
        return [{**detail, "code": entry["code"]} for entry in self.errors for detail in entry["error_detail"]]


class RequestRefused(PestleError):
    """400 or 422: change the request; `errors` says where."""


class Unauthorized(PestleError):
    """A server refused the credentials or the access token; `error` says why."""


class NotFound(PestleError):
    """404: no such record in the account."""


class Conflict(PestleError):
    """409: another request for the same order came first."""

    order: Optional[Order] = None
    """The order that the other request created, if found."""


class RateLimited(PestleError):
    """429, after the retries; `retry_after_s` says how long to wait."""


class Unavailable(PestleError):
    """503, a failed connection or an exceeded deadline, after the retries."""


class WebhookRefused(PestleError):
    """A webhook that the pharmacy did not send, or that is too old. Answer 401 and do nothing else."""


_CLASSES: dict[int, type[PestleError]] = {
    400: RequestRefused,
    401: Unauthorized,
    404: NotFound,
    409: Conflict,
    422: RequestRefused,
    429: RateLimited,
    503: Unavailable,
}


def error_of(status: int, headers: Mapping[str, str], text: bytes) -> PestleError:
    """The error for a response. Proxies respond too, so it assumes nothing about the body."""
    body = _object(text)
    # Some proxies drop the header.
    request_id = headers.get("x-request-id") or _text(body.get("request_id"))
    facts: dict[str, Any] = {
        "status": status,
        "request_id": request_id,
        "retry_after_s": _retry_after(headers.get("retry-after")),
    }
    kind = _CLASSES.get(status, PestleError)
    errors = body.get("errors")
    if isinstance(errors, list):
        said = ", ".join(f"{entry.get('code')} {entry.get('message')}" for entry in errors if isinstance(entry, dict))
        return kind(said or f"The service answered {status}.", errors=errors, **facts)
    error = body.get("error")
    if isinstance(error, str):
        # The token server refuses credentials with 400 or 401; callers treat both the same.
        refusal = _CLASSES[401] if status == 400 else kind
        said = _text(body.get("error_description")) or str(status)
        return refusal(f"{error}: {said}", error=error, doc_url=_text(body.get("doc_url")), **facts)
    told = error if isinstance(error, dict) else {}
    return kind(
        _text(told.get("message")) or f"The service answered {status}.",
        order_number=_text(told.get("order_number")),
        doc_url=_text(told.get("doc_url")),
        **facts,
    )


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def _object(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _retry_after(value: Optional[str]) -> Optional[int]:
    """Seconds, or a date, which some proxies send."""
    if value is None:
        return None
    if value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    try:
        return max(0, int(parsedate_to_datetime(value).timestamp() - time.time()) + 1)
    except (TypeError, ValueError):
        return None
