type CheckRow = {
  /** What `pestle certify` sends. */
  readonly sends: string;
  /** What must hold for the check to pass. */
  readonly holds: string;
  /** What to do if it does not. */
  readonly advice: string;
};

/**
 * What `pestle certify` checks on a partner's webhook receiver, in this order. The command, the portal and the guide read
 * this table.
 */
export const receiverChecks = {
  no_redirect: {
    sends: "A correct delivery.",
    holds: "The answer is not a redirect.",
    advice: "Register the URL that your server redirects to. The pharmacy does not follow redirects.",
  },
  accepts_event: {
    sends: "A correct delivery.",
    holds: "The answer is 2xx and arrives in time.",
    advice:
      "Check that the receiver has this account's client secret, the endpoint's two secrets and the registered URL. Store the event, answer, and do slow work afterwards.",
  },
  stores_before_answer: {
    sends: "A correct delivery.",
    holds: "The receiver's state contains the event as soon as the answer arrives.",
    advice: "Store the event before you answer 2xx. The pharmacy does not send it again after a 2xx.",
  },
  accepts_raw_body: {
    sends: "A correct delivery whose text has accents, emoji, quotes and parentheses.",
    holds: "The answer is 2xx.",
    advice:
      "Verify the bytes as they arrived, before any JSON parser. A body that was parsed and written again has other bytes.",
  },
  accepts_large: {
    sends: "A correct delivery of 150 KB.",
    holds: "The answer is 2xx.",
    advice:
      "Raise the body limit of your framework to 1 MB or more. Express, for example, refuses more than 100 KB by default.",
  },
  accepts_slow_body: {
    sends: "A correct delivery whose body arrives in several pieces.",
    holds: "The answer is 2xx.",
    advice: "Read the request to its end before you verify it. One read can return a part of the body.",
  },
  accepts_new_type: {
    sends: "A correct delivery of an event type that does not exist yet.",
    holds: "The answer is 2xx.",
    advice: "Answer 2xx to types that you do not know, and ignore them. New types are added without a new version.",
  },
  accepts_new_field: {
    sends: "A correct delivery with a field that does not exist yet.",
    holds: "The answer is 2xx.",
    advice: "Ignore fields that you do not know. New fields are added without a new version.",
  },
  accepts_delayed: {
    sends: "A correct delivery, signed now, of an event that happened three days ago.",
    holds: "The answer is 2xx.",
    advice:
      "Compare the webhook-timestamp header with your clock, not the event's own timestamp: a retry can arrive three days later.",
  },
  refuses_wrong_key: {
    sends: "A delivery that is signed with other secrets.",
    holds: "The answer is 4xx, and the event has no effect.",
    advice: "Verify every delivery before you use it, and answer 401 if its signature does not match.",
  },
  refuses_wrong_url: {
    sends: "A delivery that is signed for another URL, with forwarding headers that name that URL.",
    holds: "The answer is 4xx, and the event has no effect.",
    advice:
      "Verify with the URL that you registered, from your own settings. Never build it from headers such as X-Forwarded-Host, which the sender controls.",
  },
  refuses_wrong_secret: {
    sends: "A delivery with the right body signature, but for another endpoint's secrets.",
    holds: "The answer is 4xx, and the event has no effect.",
    advice:
      "Verify the secret header too, or the webhook-signature header: they prove that the delivery is for this endpoint.",
  },
  refuses_altered_body: {
    sends: "A delivery whose body was changed after it was signed.",
    holds: "The answer is 4xx, and the event has no effect.",
    advice: "Verify a signature over the whole raw body. The secret header alone does not cover the body.",
  },
  refuses_added_spaces: {
    sends: "A delivery whose body has more spaces than the signed one.",
    holds: "The answer is 4xx, and the event has no effect.",
    advice: "Compute the signature over the bytes as they arrived, not over JSON that you wrote again.",
  },
  refuses_missing_headers: {
    sends: "A delivery without signature headers.",
    holds: "The answer is 4xx, and the event has no effect.",
    advice: "Refuse a delivery that lacks a header, as you refuse one with a wrong signature.",
  },
  refuses_cut_signature: {
    sends: "Two deliveries with only the first characters of each signature right.",
    holds: "The answer is 4xx, and the event has no effect.",
    advice:
      "Compare the whole signature with a constant-time function, such as timingSafeEqual, hmac.compare_digest or hash_equals.",
  },
  refuses_old: {
    sends: "A delivery that was signed correctly an hour ago.",
    holds: "The answer is 4xx, and the event has no effect.",
    advice:
      "Verify the webhook-signature header with the signing secret, and refuse a webhook-timestamp that is more than five minutes from your clock.",
  },
  refuses_future: {
    sends: "A delivery whose webhook-timestamp is an hour ahead.",
    holds: "The answer is 4xx, and the event has no effect.",
    advice: "Refuse a webhook-timestamp in the future too: its delivery could be replayed until then.",
  },
  once_repeated: {
    sends: "The same event twice, one after the other.",
    holds: "Both answers are 2xx, and the event has its effect once.",
    advice:
      "Store the event_id of every event, and answer 2xx to one that you have already. Any other answer makes the pharmacy send it again.",
  },
  once_concurrent: {
    sends: "The same event five times at the same moment.",
    holds: "At least one answer is 2xx, and the event has its effect once.",
    advice:
      "Let the database decide: insert the event_id under a unique key in the transaction that does the work. Do not look first and insert later.",
  },
  keeps_newest: {
    sends: "Three changes of one order, the second one last.",
    holds: "All answers are 2xx, and the order's newest change stays the third.",
    advice:
      "Keep the highest sequence of each order. An event with a lower one is late: note it, but do not overwrite newer data.",
  },
  notices_gap: {
    sends: "The first and the fourth change of an order, without those between.",
    holds: "Both answers are 2xx, and the receiver's state names the missing changes if it has orders.",
    advice:
      "Accept the event, and read the missing ones from the feed (GET /webhook_events?order_number=…). Never refuse an event because another one is missing.",
  },
  survives_oversized: {
    sends: "A forged delivery of 5 MB, then a correct one.",
    holds: "The first is refused or cut off, and the second answer is 2xx.",
    advice: "Limit the size of a request, and answer 413 to a longer one. It must not stop the receiver.",
  },
  survives_crowd: {
    sends: "Ten different events at the same moment.",
    holds: "All answers are 2xx, and each event has its effect once.",
    advice: "Take several deliveries at once. After an outage the pharmacy sends the pending events together.",
  },
} as const satisfies Record<string, CheckRow>;

export type ReceiverCheck = keyof typeof receiverChecks;
export const receiverCheckNames = Object.keys(receiverChecks) as [ReceiverCheck, ...ReceiverCheck[]];

/** What a check found wrong. `{status}` is the HTTP status of the answer. */
export const certifyFindings = {
  redirect: "It answered with the redirect {status}.",
  not_accepted: "It answered {status} to a correct delivery.",
  no_answer: "It did not answer a correct delivery in time.",
  not_connected: "The connection failed before an answer arrived.",
  accepted: "It answered {status} to a delivery that it must refuse.",
  not_refused: "It answered {status} to a delivery that it must refuse with 4xx.",
  no_refusal: "It did not answer a delivery that it must refuse.",
  not_stored: "It answered 2xx, but its state does not contain the event.",
  forged_effect: "A forged event had an effect.",
  repeated_effect: "One event had its effect more than once.",
  older_won: "A late event replaced a newer one.",
  gap_missed: "Its state does not name the missing changes.",
  state_unreadable: "Its state could not be read.",
} as const;
export type CertifyFinding = keyof typeof certifyFindings;

/** The sentence of a finding. */
export const findingText = (code: CertifyFinding, status: number | null): string =>
  certifyFindings[code].replace("{status}", String(status));
