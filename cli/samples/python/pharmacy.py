"""Calls the pharmacy's API with Python's standard library alone (3.9 or later)."""

import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid


class Refused(Exception):
    """The answer's status and body, which name the problem and the next step."""

    def __init__(self, status, body):
        super().__init__(f"{status}: {json.dumps(body)}")
        self.status = status
        self.body = body


class Pharmacy:
    def __init__(self, base_url, auth_url, client_id, client_secret):
        self._base_url = base_url
        self._auth_url = auth_url
        self._client = {"client_id": client_id, "client_secret": client_secret}
        self._token = None
        self._renew_at = 0.0

    def get(self, path):
        return self._call("GET", path)

    def post(self, path, body):
        # The key makes it safe to send the same request again after a lost answer.
        return self._call("POST", path, body, {"Idempotency-Key": str(uuid.uuid4())})

    def _call(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        sent = {"Accept": "application/json", "Authorization": f"Bearer {self._access_token()}", **(headers or {})}
        if data is not None:
            sent["Content-Type"] = "application/json"
        return _send(urllib.request.Request(f"{self._base_url}/v1{path}", data, sent, method=method))

    def _access_token(self):
        # A token works for hours. Ask for one when the old one is about to end, not for each request.
        if self._token is None or time.time() > self._renew_at:
            form = {"grant_type": "client_credentials", "scope": "partners", **self._client}
            data = urllib.parse.urlencode(form).encode()
            answer = _send(urllib.request.Request(f"{self._auth_url}/oauth/token", data, method="POST"))
            self._token = answer["access_token"]
            self._renew_at = time.time() + answer["expires_in"] - 60
        return self._token


def _send(request):
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise Refused(error.code, json.load(error)) from None
