"""`verify` of the SDK, as the two functions of docs/verifiers."""

from pestle.webhooks import WebhookRefused, verify


def verify_service(url, body, headers, client_secret, webhook_secret):
    return _taken(body, headers, url=url, client_secrets=[client_secret], webhook_secret=webhook_secret)


def verify_standard(body, headers, signing_secret, now):
    return _taken(body, headers, signing_secret=signing_secret, now=now)


def _taken(body, headers, **secrets):
    try:
        verify(body, headers, **secrets)
    except WebhookRefused:
        return False
    return True
