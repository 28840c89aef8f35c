"""The client: tokens, retries, conditional requests, and the methods that need more than one request."""

from __future__ import annotations

import json
import os
import ssl
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Callable, Optional, TypeVar, Union
from urllib.parse import urlencode

from ._answer_cache import AnswerCache
from ._listing import Listing
from ._options import check_options
from ._path import segment
from ._token import TokenSource, request_token
from ._transport import Answer, Connections, Request, Transport, Travel, send, wait_before
from ._version import __version__
from .errors import Conflict, PestleError, RateLimited, Unauthorized, Unavailable
from .models import Order, OrderDryRun, OrderRequest, ReorderRequest, StatementLine, WebhookEventRecord
from .operations import Operations

DEADLINE_S = 30.0
ATTEMPT_TIMEOUT_S = 10.0
POLL_S = 2.0
MOST_ON_A_PAGE = 200
# Tolerance for the difference between the server's clock and ours.
SKEW_S = 60

Self = TypeVar("Self", bound="Pestle")
Query = Mapping[str, Union[None, str, int, bool, Sequence[str]]]


class Pestle(Operations):
    """A client for one account. Threads can share it, and should: it holds the access token and the connections.

    The methods have the names of the operations of the API, such as `create_order`.
    """

    def __init__(
        self,
        client_id: str,
        client_secret: Optional[str] = None,
        *,
        base_url: str,
        auth_url: str,
        client_assertion: Optional[Callable[[str, str], str]] = None,
        scope: str = "partners",
        deadline_s: float = DEADLINE_S,
        attempt_timeout_s: float = ATTEMPT_TIMEOUT_S,
        retries: Optional[int] = None,
        keep_answers: int = 0,
        transport: Optional[Transport] = None,
        tls: Optional[ssl.SSLContext] = None,
    ) -> None:
        """
        :param client_secret: Required, unless you give `client_assertion`.
        :param base_url: The partner API.
        :param auth_url: The token server. Sandbox and production each have their own, and a credential works at one of
            them: this address is your choice of environment.
        :param client_assertion: Takes the client id and the audience, and returns a signed JWT for `private_key_jwt`.
            Python's standard library cannot sign it, so use a library such as PyJWT.
        :param scope: Empty for credentials without scopes.
        :param deadline_s: The time limit of a call, with its retries.
        :param attempt_timeout_s: The time limit of one attempt.
        :param retries: The maximum number of retries. By default, as many as the deadline allows.
        :param keep_answers: How many answers to keep in memory for conditional requests.
        :param transport: Sends a request in place of `http.client`, for example through a proxy.
        :param tls: Which certificates to trust, in place of those of the system.
        """
        options = {
            "client_id": client_id,
            "client_secret": client_secret,
            "client_assertion": client_assertion,
            "base_url": base_url,
            "auth_url": auth_url,
            "scope": scope,
            "deadline_s": deadline_s,
            "attempt_timeout_s": attempt_timeout_s,
            "retries": retries,
            "keep_answers": keep_answers,
            "transport": transport,
        }
        check_options(options)
        self._base_url = base_url.rstrip("/")
        self._deadline_s = deadline_s
        self._connections = Connections(tls)
        self._travel = Travel(transport or self._connections, attempt_timeout_s, retries)
        self._cache = AnswerCache(keep_answers)

        def issue(until: float) -> dict[str, Any]:
            return request_token(
                self._travel,
                until,
                client_id=client_id,
                client_secret=None if client_assertion is not None else client_secret,
                client_assertion=client_assertion,
                auth_url=auth_url.rstrip("/"),
                scope=scope,
            )

        self._tokens = TokenSource(issue, self._travel.clock)

    @classmethod
    def from_env(cls: type[Self], env: Mapping[str, str] = os.environ, **options: Any) -> Self:
        """A client from `PESTLE_CLIENT_ID`, `PESTLE_CLIENT_SECRET`, `PESTLE_BASE_URL` and `PESTLE_AUTH_URL`."""
        return cls(**{**options_from(env), **options})

    def close(self) -> None:
        """Closes the connections. A `with` statement does it too."""
        self._connections.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Any = None,
        headers: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
        deadline_s: Optional[float] = None,
    ) -> Answer:
        """Calls any operation of the API, with the usual tokens, retries and errors. The path starts with a slash."""
        until = self._travel.clock() + (self._deadline_s if deadline_s is None else deadline_s)
        request = self._request_of(method, path, query, body, headers, idempotency_key)
        complete = self._cache.ask(request)
        return complete(self._send_authorized(request, until))

    def dry_run_order(
        self, body: OrderRequest, *, idempotency_key: Optional[str] = None, deadline_s: Optional[float] = None
    ) -> OrderDryRun:
        """Every problem and hold that `create_order` would return, and a quote, without creating an order."""
        answer: OrderDryRun = self._call(
            "POST",
            "/orders",
            query={"dry_run": True},
            body=body,
            idempotency_key=idempotency_key,
            deadline_s=deadline_s,
        )
        return answer

    def create_order(
        self, body: OrderRequest, *, idempotency_key: Optional[str] = None, deadline_s: Optional[float] = None
    ) -> Order:
        """Create an order. If the outcome of an attempt is unknown, looks for its order before it sends anything again.

        Raises `Conflict` with the earlier order if another request with the same body came first.
        """
        # The service names everything that is missing, so let it answer.
        return self._look_up_after(
            super().create_order, (body,), lambda within: _wanted(body), idempotency_key, deadline_s
        )

    def create_reorder(
        self,
        order_number: str,
        body: Optional[ReorderRequest] = None,
        *,
        idempotency_key: Optional[str] = None,
        deadline_s: Optional[float] = None,
    ) -> Order:
        """Repeat an order, copying all fields that you do not change. Handles a conflict as `create_order` does."""

        def wanted(within: Callable[[], float]) -> dict[str, Any]:
            first: dict[str, Any] = {**self.get_order(order_number, deadline_s=within())}
            changed: dict[str, Any] = {**(body or {})}
            return {
                "patient_id": first["patient_id"],
                "reference": changed.get("reference") or first["reference"],
                "items": changed.get("items") or first["items"],
                "other_than": order_number,
            }

        return self._look_up_after(
            super().create_reorder, (order_number, body), wanted, idempotency_key, deadline_s
        )

    def find_order(self, body: OrderRequest, *, deadline_s: Optional[float] = None) -> Optional[Order]:
        """The newest order created from this request. Call it before you send a request again whose outcome is unknown."""
        wanted = _wanted(body)
        # Without it, the search would go through the orders of all patients.
        if not isinstance(wanted["patient_id"], str) or not isinstance(wanted["items"], list):
            raise ValueError("find_order needs patient.patient_id and items.")
        return self._find(wanted, None, deadline_s)

    def statement_lines(
        self, month: str, *, limit: Optional[int] = None, deadline_s: Optional[float] = None
    ) -> Listing[StatementLine]:
        """All lines of a month, oldest first."""
        return self._list(f'/statements/{segment("month", month)}', "lines", {"limit": limit}, deadline_s)

    def follow_webhook_events(
        self,
        cursor: Optional[str] = None,
        *,
        event_type: Optional[str] = None,
        order_number: Optional[str] = None,
        poll_s: float = POLL_S,
    ) -> Iterator[tuple[list[WebhookEventRecord], str]]:
        """Past and future events, page by page, without end, each with a cursor. Process the events, store the cursor
        durably, and start with it next time. Waits while the service is unreachable."""
        while True:
            page = self._page_of_feed(cursor, event_type, order_number)
            if page is not None:
                moved = page["end_cursor"] != cursor
                cursor = page["end_cursor"]
                if moved or page["webhook_events"]:
                    yield page["webhook_events"], page["end_cursor"]
            if page is None or page["next_cursor"] is None:
                self._travel.sleep(poll_s)

    def _page_of_feed(
        self, cursor: Optional[str], event_type: Optional[str], order_number: Optional[str]
    ) -> Optional[dict[str, Any]]:
        """The events after the cursor; None while the service is unreachable."""
        query = {"event_type": event_type, "order_number": order_number, "limit": MOST_ON_A_PAGE, "cursor": cursor}
        try:
            page: dict[str, Any] = self._call("GET", "/webhook_events", query=query)
        except (RateLimited, Unavailable):
            return None
        return page

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[dict[str, Any]] = None,
        body: Any = None,
        idempotency_key: Optional[str] = None,
        deadline_s: Optional[float] = None,
    ) -> Any:
        if body is not None and not isinstance(body, dict):
            raise TypeError("The body must be a dictionary.")
        answer = self.request(
            method, f"/v1{path}", query=query, body=body, idempotency_key=idempotency_key, deadline_s=deadline_s
        )
        return answer.body

    def _list(self, path: str, items: str, query: dict[str, Any], deadline_s: Optional[float]) -> Listing[Any]:
        def load(cursor: Optional[str]) -> dict[str, Any]:
            asked = query if cursor is None else {**query, "cursor": cursor}
            page: dict[str, Any] = self._call("GET", path, query=asked, deadline_s=deadline_s)
            return page

        return Listing(load, items)

    def _request_of(
        self,
        method: str,
        path: str,
        query: Optional[Query],
        body: Any,
        headers: Optional[Mapping[str, str]],
        idempotency_key: Optional[str],
    ) -> Request:
        if not path.startswith("/"):
            raise ValueError("path must start with a slash.")
        sent = [(name, text) for name, value in (query or {}).items() for text in _texts(value)]
        url = self._base_url + path + (f"?{urlencode(sent)}" if sent else "")
        all_headers = {"User-Agent": f"pestle-python/{__version__}", **(headers or {}), "Accept": "application/json"}
        if method == "POST" and not any(name.lower() == "idempotency-key" for name in all_headers):
            all_headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        if body is None:
            return Request(method, url, all_headers)
        all_headers["Content-Type"] = "application/json"
        return Request(method, url, all_headers, json.dumps(body, allow_nan=False).encode())

    def _send_authorized(self, request: Request, until: float) -> Answer:
        access_token = self._tokens.get(until)
        request.headers["Authorization"] = f"Bearer {access_token}"
        try:
            return send(self._travel, request, until)
        except Unauthorized as error:
            if error.error != "invalid_token":
                raise
            # The token was revoked or expired: renew it once. If the new one is refused too, raise.
            self._tokens.drop(access_token)
        renewed = self._tokens.get(until)
        request.headers["Authorization"] = f"Bearer {renewed}"
        try:
            return send(self._travel, request, until)
        except Unauthorized:
            self._tokens.drop(renewed)
            raise

    def _look_up_after(
        self,
        post: Callable[..., Order],
        args: tuple[Any, ...],
        wanted_of: Callable[[Callable[[], float]], dict[str, Any]],
        idempotency_key: Optional[str],
        deadline_s: Optional[float],
    ) -> Order:
        """Creates an order and, after a conflict, looks up the order first. A 409 that names an order is about another
        request with the same body: raises `Conflict` with that order. A 409 without an order number means that the
        service is still processing this request, by its Idempotency-Key: an earlier attempt, or a duplicate from the
        network. Then waits for its order and returns it. Never sends it again in either case."""
        clock = self._travel.clock
        since = time.time() - SKEW_S
        until = clock() + (self._deadline_s if deadline_s is None else deadline_s)

        def within() -> float:
            return until - clock()

        try:
            return post(*args, idempotency_key=idempotency_key, deadline_s=within())
        except Conflict as conflict:
            if conflict.order_number is not None:
                try:
                    conflict.order = self.get_order(conflict.order_number, deadline_s=within())
                except PestleError:
                    pass
                raise
            try:
                found = self._watch(wanted_of(within), since, until, within)
            except PestleError:
                # The conflict says more than the failed lookup.
                found = None
            if found is None:
                raise
            return found

    def _watch(
        self, wanted: dict[str, Any], since: float, until: float, within: Callable[[], float]
    ) -> Optional[Order]:
        if not isinstance(wanted["patient_id"], str) or not isinstance(wanted["items"], list):
            return None
        look = 0
        while True:
            order = self._find(wanted, since, within())
            wait_s = wait_before(look, None, self._travel.chance())
            if order is not None or self._travel.clock() + wait_s >= until:
                return order
            self._travel.sleep(wait_s)
            look += 1

    def _find(self, wanted: dict[str, Any], since: Optional[float], deadline_s: Optional[float]) -> Optional[Order]:
        """The patient's newest order with the same reference and items, created at or after `since`."""
        orders = self.list_orders(
            patient_id=wanted["patient_id"], reference=wanted["reference"], deadline_s=deadline_s
        )
        for order in orders:
            if since is not None and _seconds(order["created_at"]) < since:
                return None
            same = order["reference"] == wanted["reference"] and order["order_number"] != wanted.get("other_than")
            if same and _same_items(wanted["items"], order["items"]):
                return order
        return None


def options_from(env: Mapping[str, str]) -> dict[str, Any]:
    names = ["client_id", "client_secret", "base_url", "auth_url"]
    missing = [f"PESTLE_{name.upper()}" for name in names if not env.get(f"PESTLE_{name.upper()}")]
    if missing:
        raise ValueError(f"Pestle: {', '.join(missing)} must be set.")
    return {name: env[f"PESTLE_{name.upper()}"] for name in names}


def _wanted(body: Any) -> dict[str, Any]:
    """The fields that identify the order a request created."""
    given = body if isinstance(body, dict) else {}
    patient = given.get("patient")
    return {
        "patient_id": patient.get("patient_id") if isinstance(patient, dict) else None,
        "reference": given.get("reference"),
        "items": given.get("items"),
    }


def _same_items(wanted: list[Any], made: list[Any]) -> bool:
    """Compares only the fields that the request gives; the pharmacy fills in the others."""
    return len(wanted) == len(made) and all(
        item.get(name) is None or item[name] == other[name]
        for item, other in zip(wanted, made)
        for name in ("prescription_id", "sku")
    )


def _seconds(text: str) -> float:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc).timestamp()


def _texts(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [str(one) for one in value] if isinstance(value, (list, tuple)) else [str(value)]
