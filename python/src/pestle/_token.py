from __future__ import annotations

import base64
import threading
from typing import Any, Callable, Optional
from urllib.parse import quote_plus, urlencode

from ._transport import Request, Travel, send
from .errors import PestleError, Unavailable

RENEW_EARLY_S = 60.0
RENEW_EARLY_SHARE = 0.1
NEXT_TRY_AFTER_S = 5.0
ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


class TokenSource:
    """Holds one token for all threads and renews it early: 60 s before it expires, or at a tenth of its lifetime if that
    is less. One caller renews it while the others use the current one; if that fails, all use it until it expires."""

    def __init__(self, issue: Callable[[float], dict[str, Any]], clock: Callable[[], float]) -> None:
        self._issue = issue
        self._clock = clock
        self._renewing = threading.Lock()
        self._held: Optional[tuple[str, float]] = None
        self._renew_at = 0.0

    def get(self, until: float) -> str:
        held = self._held
        now = self._clock()
        if held is not None and now < held[1]:
            if now < self._renew_at or not self._renewing.acquire(blocking=False):
                return held[0]
            try:
                return self._renew(until)
            except PestleError:
                self._renew_at = self._clock() + NEXT_TRY_AFTER_S
                return held[0]
            finally:
                self._renewing.release()
        if not self._renewing.acquire(timeout=max(0.0, until - now)):
            raise Unavailable("No access token came before the deadline.")
        try:
            # Another thread may have renewed it while this one waited.
            held = self._held
            if held is not None and self._clock() < held[1]:
                return held[0]
            return self._renew(until)
        finally:
            self._renewing.release()

    def drop(self, access_token: str) -> None:
        """Drops a refused token, unless it has been replaced."""
        held = self._held
        if held is not None and held[0] == access_token:
            self._held = None

    def _renew(self, until: float) -> str:
        # Measured from before the request on this machine's clock, which can differ from the server's.
        asked_at = self._clock()
        token = self._issue(until)
        access_token, lifetime_s = token["access_token"], float(token["expires_in"])
        self._renew_at = asked_at + lifetime_s - min(RENEW_EARLY_S, lifetime_s * RENEW_EARLY_SHARE)
        self._held = (access_token, asked_at + lifetime_s)
        return str(access_token)


def request_token(
    travel: Travel,
    until: float,
    *,
    client_id: str,
    client_secret: Optional[str],
    client_assertion: Optional[Callable[[str, str], str]],
    auth_url: str,
    scope: str,
) -> dict[str, Any]:
    """The client credentials grant: HTTP Basic authentication, or an assertion. Omits an empty scope."""
    headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
    form = {"grant_type": "client_credentials"}
    if scope:
        form["scope"] = scope
    if client_secret is not None:
        basic = f"{quote_plus(client_id)}:{quote_plus(client_secret)}"
        headers["Authorization"] = f"Basic {base64.b64encode(basic.encode()).decode()}"

    def body() -> bytes:
        # Each attempt needs a new assertion, because the server accepts each one once.
        if client_assertion is None:
            return urlencode(form).encode()
        assertion = client_assertion(client_id, auth_url)
        return urlencode({**form, "client_assertion_type": ASSERTION_TYPE, "client_assertion": assertion}).encode()

    answer = send(travel, Request("POST", f"{auth_url}/oauth/token", headers, body), until)
    token = answer.body
    if (
        not isinstance(token, dict)
        or not isinstance(token.get("access_token"), str)
        or not isinstance(token.get("expires_in"), (int, float))
    ):
        said = "The token server's answer holds no token."
        raise PestleError(said, status=answer.status, request_id=answer.request_id)
    return token
