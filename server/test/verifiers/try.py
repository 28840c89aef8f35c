"""Reads a request a line and says for each whether both verifiers take it: "true false" and the like."""

import base64
import importlib.util
import sys

spec = importlib.util.spec_from_file_location("verify", sys.argv[1])
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)
NAMES = ["x-service-signature", "x-service-secret", "webhook-id", "webhook-timestamp", "webhook-signature"]
for line in sys.stdin:
    fields = [base64.b64decode(field) for field in line.rstrip("\n").split("\t")]
    url, _, _, _, signing_secret, now, *values = [field.decode("latin1") for field in fields]
    client_secret, webhook_secret = fields[2].decode(), fields[3].decode()
    headers = dict(zip(NAMES, values))
    taken = [
        verify.verify_service(url, fields[1], headers, client_secret, webhook_secret),
        verify.verify_standard(fields[1], headers, signing_secret, int(now)),
    ]
    print(*[str(one).lower() for one in taken])
