"""A partner that orders each prescription and answers the holds that it can. It reads the feed, so it needs no address."""

import sys
import time
from concurrent.futures import ThreadPoolExecutor

from pestle import Conflict, Pestle, PestleError, RequestRefused

try:
    pestle = Pestle.from_env()
except ValueError as missing:
    sys.exit(f"{missing} The README beside this file says where they come from.")

# In your program this is a table: the reference of each order, and the order number once it is known.
orders = {}
# After a 500 it tries twice more, and then a person must look. The client itself repeats 429, 503 and lost answers.
PAUSES_S = (1, 3)
# A time in the far future: the feed returns no events, only its end.
NOT_YET = "9999-12-30T00:00:00Z"


def place(patient_id, prescription_id):
    """The reference is the idempotency key, so a repeated call creates no second order."""
    reference = f"inv-{prescription_id}"
    body = {
        "reference": reference,
        "shipping": {"method_id": 1},
        "patient": {"patient_id": patient_id},
        "items": [{"prescription_id": prescription_id}],
    }
    for pause_s in (*PAUSES_S, None):
        try:
            return book(reference, pestle.create_order(body, idempotency_key=reference))
        except Conflict as conflict:
            if conflict.order is not None and conflict.order["reference"] == reference:
                return book(reference, conflict.order)
            return tell(reference, "conflicts with", conflict.order_number)
        except RequestRefused as refused:
            return tell(reference, "refused, give the money back:", *refused.codes)
        except PestleError as failed:
            if pause_s is None:
                return tell(reference, "failed: a person must look.", failed.message)
            time.sleep(pause_s)


def book(reference, order):
    orders[reference] = order["order_number"]
    tell(reference, "ordered as", order["order_number"])


ANSWERS = {
    "accept_suggested_address": lambda patient_id: {},
    "update_email": lambda patient_id: {"email": f"{patient_id}@patients.example"},
    "retry_payment": lambda patient_id: {"token": "tok_visa"},
}


def resolve(event):
    """Sends the first offered action that this program can answer, and leaves the rest to people."""
    number, exception = event["order_number"], event["exception"]
    for offered in exception["order_actions"]:
        fields = ANSWERS.get(offered["event_key"])
        if fields is None:
            continue
        action = {"event": offered["event_key"], "exception_id": exception["id"], **fields(event["patient_id"])}
        try:
            pestle.request_order_action(number, action)
            return tell(number, f"{exception['name']}:", offered["action"].lower())
        except RequestRefused:
            pass  # Another request already closed the exception.
        except PestleError as failed:
            return tell(number, "failed: a person must look.", failed.message)
    tell(number, f"{exception['name']}: waits for a person")


def tell(*words):
    print(*words, flush=True)


def take(event):
    if event["event_type"] == "RX_RECEIVED":
        for prescription in event["medication_requests"]:
            if f"inv-{prescription['id']}" not in orders:
                workers.submit(place, event["patient_id"], prescription["id"])
    elif event["event_type"] == "ORDER_EXCEPTION":
        workers.submit(resolve, event)


# In your program, store the cursor after each page, and start with it again.
cursor = None
for page in pestle.list_webhook_events(after=NOT_YET, limit=1).pages():
    cursor = page["end_cursor"]
tell("reading the feed")
with ThreadPoolExecutor(16) as workers:
    for events, cursor in pestle.follow_webhook_events(cursor, poll_s=0.5):
        for event in events:
            take(event["body"])
