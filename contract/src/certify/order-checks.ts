type CheckRow = {
  /** What happens to the partner's system on the scripted day. */
  readonly happens: string;
  /** What must hold for the check to pass. */
  readonly holds: string;
  /** What to do if it does not. */
  readonly advice: string;
  /** If false, a failure lowers the score, and the system is certified without it. */
  readonly required: boolean;
};

const KEEP_KEY =
  "Choose the Idempotency-Key of an order once, before the first request, and store it with the order: an invoice number, for example.";
const SEND_AGAIN = "Send it again with the same Idempotency-Key: it has no second effect.";

/**
 * What `pestle certify orders` checks on a partner's order integration. The command and the guide read this table. The
 * required checks keep a patient from getting no parcel or two, and the service from being flooded.
 */
export const orderChecks = {
  orders_prescription: {
    happens: "A prescription arrives.",
    holds: "The system places one order for it.",
    advice: "Place one order for each prescription of RX_RECEIVED, or of the feed (GET /webhook_events).",
    required: true,
  },
  sends_key: {
    happens: "The whole day.",
    holds: "Every POST /orders has an Idempotency-Key.",
    advice: KEEP_KEY,
    required: true,
  },
  own_key_for_each: {
    happens: "The whole day.",
    holds: "No two different orders have the same Idempotency-Key.",
    advice: "Use a key for one order alone. The service refuses another body with a used key (42299).",
    required: true,
  },
  repeats_with_key: {
    happens: "The system repeats a request.",
    holds: "The repeated request has the Idempotency-Key and the body of the first.",
    advice: KEEP_KEY,
    required: true,
  },
  lost_answer: {
    happens: "The service saves an order, and the connection breaks before the answer arrives.",
    holds: "The system learns of the order by a repeated request or by a search, and one order exists.",
    advice: `A broken connection does not say whether the order exists. ${SEND_AGAIN}`,
    required: true,
  },
  lost_request: {
    happens: "The connection breaks before the service gets the order.",
    holds: "The system sends it again, and one order exists.",
    advice: `Treat a broken connection like a 503. ${SEND_AGAIN}`,
    required: true,
  },
  no_answer: {
    happens: "The service never answers a request.",
    holds: "The system stops waiting, sends it again, and one order exists.",
    advice: `Give each request a time limit, 10 seconds for example. ${SEND_AGAIN}`,
    required: true,
  },
  unavailable: {
    happens: "The service answers 503 with Retry-After.",
    holds: "The system sends the order again, and one order exists.",
    advice: `A 503 saved nothing. Wait for Retry-After. ${SEND_AGAIN}`,
    required: true,
  },
  waits_after_503: {
    happens: "The service answers 503 with Retry-After.",
    holds: "The system does not repeat the request before that time.",
    advice: "Read Retry-After (seconds), and add a random fraction so that your processes do not return together.",
    required: true,
  },
  rate_limited: {
    happens: "The service answers 429 with Retry-After.",
    holds: "The system sends the order again, and one order exists.",
    advice: `A 429 saved nothing. Wait for Retry-After. ${SEND_AGAIN}`,
    required: true,
  },
  waits_after_429: {
    happens: "The service answers 429 with Retry-After.",
    holds: "The system does not repeat the request before that time.",
    advice: "Read Retry-After (seconds). A request that comes earlier gets 429 again and counts.",
    required: true,
  },
  gateway_page: {
    happens: "A gateway answers 503 with an HTML page and without Retry-After, three times.",
    holds: "The system sends the order again, and one order exists.",
    advice: "Decide by the status before you parse the body. A gateway's answer is not JSON.",
    required: true,
  },
  backs_off: {
    happens: "A gateway answers 503 with an HTML page and without Retry-After, three times.",
    holds: "Before each further try are 0.1 seconds or more, and all pauses together are half a second or more.",
    advice: "Wait longer after each failed try: 0.5, 1, 2, 4 seconds, each with a random part.",
    required: false,
  },
  in_progress: {
    happens: "The service answers 409 without an order number, because it still works on the same request.",
    holds: "The system looks for the order or repeats the request with its key, and one order exists.",
    advice: "Wait a moment, then look for the order (GET /orders?patient_id=…) or send the same request again.",
    required: true,
  },
  already_ordered: {
    happens: "Another process of the partner placed the same order a moment ago: 409 with its number.",
    holds: "The system takes that order as its own and places no second one.",
    advice: "A 409 with `order_number` is an answer: store the number. Do not change the body to get past it.",
    required: true,
  },
  renews_token: {
    happens: "In the middle of the day the access token ends: 401 with `invalid_token`.",
    holds: "The system requests a new token and repeats each refused request: one order exists for each prescription.",
    advice: "On 401 with `invalid_token`, request a token and send the same request once more, with its key.",
    required: true,
  },
  renews_once: {
    happens: "Several requests get 401 at the same time.",
    holds: "The system requests one new token for all of them, at most two.",
    advice: "Let one caller renew the token while the others wait for it. The token server has a limit of its own.",
    required: false,
  },
  token_server_down: {
    happens: "The token server answers 503 when the system renews the token.",
    holds: "The system asks again, and its orders are placed.",
    advice: "Repeat a token request like any other: after 429, 503 and broken connections.",
    required: true,
  },
  keeps_token: {
    happens: "The whole day.",
    holds: "The system requests eight tokens at most.",
    advice: "Keep the token until shortly before `expires_in` has passed. Do not request one for each call.",
    required: true,
  },
  stops_after_422: {
    happens: "The service refuses an order with 422.",
    holds: "The system sends the same request twice at most.",
    advice: "The same request gets the same answer. Show the errors to a person, or correct the order.",
    required: true,
  },
  stops_after_500: {
    happens: "The service answers 500 to every try of an order.",
    holds: "The system sends it four times at most.",
    advice: "Try once or twice more with the same key, then report the request_id.",
    required: true,
  },
  email_hold: {
    happens: "The patient has no email: the order is On Hold with exception 65.",
    holds: "The system ends the hold by `update_email`, by PATCH /patients/{patient_id}, or by canceling.",
    advice: "Read `exceptions` of the answer and ORDER_EXCEPTION, and send an action that they offer.",
    required: false,
  },
  address_hold: {
    happens: "The validator does not know the address: the order is On Hold with exception 77.",
    holds: "The system ends the hold by an action that it offers.",
    advice: "Show the suggested address to the patient, or send `accept_suggested_address` or `update_address`.",
    required: false,
  },
  declined_card: {
    happens: "The patient's card is declined: the order is On Hold with exception 80.",
    holds: "The system sends `retry_payment` with another card, or cancels the order.",
    advice: "Ask the patient for another card. The order stays On Hold until then.",
    required: false,
  },
  back_order: {
    happens: "The stock is delayed: the order is On Hold with exception 76.",
    holds: "The system places no second order.",
    advice: "The hold ends when stock arrives, with ORDER_UPDATED. Wait, remove the item, or cancel.",
    required: true,
  },
  canceled_by_pharmacy: {
    happens: "The pharmacy cancels an order.",
    holds: "The system does not place it again by itself.",
    advice: "Tell a person. The pharmacy canceled it for a reason that a second order does not remove.",
    required: true,
  },
  no_polling: {
    happens: "The whole day.",
    holds: "The system reads no address more than 20 times in 10 seconds.",
    advice: "Receive webhooks, or read the feed (GET /webhook_events) once a second.",
    required: true,
  },
  no_credentials_in_urls: {
    happens: "The whole day.",
    holds: "No URL contains the access token or the client secret.",
    advice: "Send the token in the Authorization header and the secret in the body. Proxies write URLs to their logs.",
    required: true,
  },
} as const satisfies Record<string, CheckRow>;

export type OrderCheck = keyof typeof orderChecks;
export const orderCheckNames = Object.keys(orderChecks) as [OrderCheck, ...OrderCheck[]];

/** What a check of the day found wrong. */
export const orderFindings = {
  not_ordered: "No order exists for the prescription.",
  ordered_twice: "More than one order exists for the prescription.",
  no_key: "A POST /orders had no Idempotency-Key.",
  key_reused: "Two different orders had the same Idempotency-Key.",
  other_key: "A repeated request had another Idempotency-Key, or another body.",
  not_noticed: "It never learned that the order exists.",
  too_early: "It repeated the request before the time in Retry-After.",
  no_pause: "It repeated the request almost without a pause.",
  renewed_too_often: "It requested more tokens than it needed after the old one had ended.",
  not_asked_again: "It did not ask the token server again.",
  too_many_tokens: "It requested more than eight tokens.",
  sent_too_often: "It sent a request again that gets the same answer each time.",
  still_held: "The order is still On Hold.",
  polled: "It read the same address more than 20 times in 10 seconds.",
  credential_in_url: "A URL contained the access token or the client secret.",
} as const;
export type OrderFinding = keyof typeof orderFindings;
