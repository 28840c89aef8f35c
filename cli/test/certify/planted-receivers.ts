import { setImmediate } from "node:timers/promises";
import {
  compactAsciiJson,
  isEventType,
  type ReceiverCheck,
  serviceSecret,
  serviceSignature,
  signingKey,
  standardSignature,
} from "@pestle/contract";

/** The secrets that the planted receivers share with certify. */
export const CLIENT_SECRET = "the client secret";
export const KEY = signingKey(CLIENT_SECRET);
export const WEBHOOK_SECRET = "the webhook secret";
export const SIGNING_SECRET = "whsec_cGVzdGxlLWV4YW1wbGUtc2VjcmV0LTAwMDE=";
const TOLERANCE_S = 300;
const MOST_BYTES = 1_000_000;

type Event = { event_id: string; event_type: string; timestamp: number; order_number?: string; sequence?: number };
type Headers = Record<string, string | undefined>;
type Order = { sequence: number; missing: number[] };
type State = { events: string[]; orders: Record<string, Order> };

/** The parts of a receiver. Each fault replaces one of them. */
export type Parts = {
  most_bytes: number;
  /** Reads the first chunk alone. */
  first_chunk_only: boolean;
  /** Goes down with a longer request. */
  dies_of_size: boolean;
  never_answers: boolean;
  redirects: boolean;
  verified(raw: string, headers: Headers, url: string): boolean;
  refusal_status: number;
  /** The status of an event that it refuses to take. */
  refused(event: Event, state: State): number | undefined;
  /** Claims the event's id; false if it has it already. */
  claims(seen: Set<string>, event_id: string): Promise<boolean> | boolean;
  repeat_status: number;
  heard(before: Order | undefined, sequence: number): Order;
  /** Stores after the answer. */
  stores_late: boolean;
  one_at_a_time: boolean;
};

const recent = (headers: Headers) => Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) <= TOLERANCE_S;
const service = (raw: string, headers: Headers, url: string) =>
  headers["x-service-signature"] === serviceSignature(KEY, "POST", url, raw);
const secret = (headers: Headers) => headers["x-service-secret"] === serviceSecret(KEY, WEBHOOK_SECRET);
const expectedStandard = (raw: string, headers: Headers) =>
  standardSignature(SIGNING_SECRET, headers["webhook-id"] ?? "", headers["webhook-timestamp"] ?? "", raw);
const standard = (raw: string, headers: Headers) => headers["webhook-signature"] === expectedStandard(raw, headers);
const verified = (raw: string, headers: Headers, url: string) =>
  service(raw, headers, url) && secret(headers) && standard(raw, headers) && recent(headers);

/** Like the SDK's: all numbers up to the highest, except those that are missing. */
function heard(before: Order | undefined, sequence: number): Order {
  const { sequence: highest, missing } = before ?? { sequence: 0, missing: [] };
  if (sequence <= highest) return { sequence: highest, missing: missing.filter((number) => number !== sequence) };
  const skipped = Array.from({ length: sequence - highest - 1 }, (_, index) => highest + 1 + index);
  return { sequence, missing: [...missing, ...skipped] };
}

export const goodParts: Parts = {
  most_bytes: MOST_BYTES,
  first_chunk_only: false,
  dies_of_size: false,
  never_answers: false,
  redirects: false,
  verified,
  refusal_status: 401,
  refused: () => undefined,
  claims: (seen, event_id) => !seen.has(event_id) && seen.add(event_id).has(event_id),
  repeat_status: 200,
  heard,
  stores_late: false,
  one_at_a_time: false,
};

/** A comparison that looks at only `length` characters of the expected text, or as many as arrived. */
const sameStart = (expected: string, received = "", length = received.length) =>
  received !== "" && expected.slice(0, length) === received.slice(0, length);
const allSameStart = (raw: string, headers: Headers, url: string, length?: number) =>
  sameStart(serviceSignature(KEY, "POST", url, raw), headers["x-service-signature"], length) &&
  sameStart(serviceSecret(KEY, WEBHOOK_SECRET), headers["x-service-secret"], length) &&
  recent(headers);

const KNOWN_FIELDS = ["event_id", "event_type", "timestamp", "patient_id", "medication_requests", "order_number"];

/**
 * Faults that receivers have, each with the check that must find it. Whether a comparison takes constant time cannot be
 * seen from outside without a flaky measurement. The two comparisons that stop early are the nearest fault that can.
 */
export const plantedFaults: Record<string, { check: ReceiverCheck; parts: Partial<Parts> }> = {
  "parses the body and writes it again before it verifies": {
    check: "accepts_raw_body",
    parts: { verified: (raw, ...rest) => verified(JSON.stringify(JSON.parse(raw)), ...rest) },
  },
  "verifies a body that it has normalized": {
    check: "refuses_added_spaces",
    parts: { verified: (raw, ...rest) => verified(compactAsciiJson(JSON.parse(raw)), ...rest) },
  },
  "verifies nothing": { check: "refuses_wrong_key", parts: { verified: () => true } },
  "verifies the constant secret header alone": {
    check: "refuses_altered_body",
    parts: { verified: (_raw, headers) => secret(headers) && recent(headers) },
  },
  "verifies the body's signature, but not for which endpoint it is": {
    check: "refuses_wrong_secret",
    parts: { verified: (raw, headers, url) => service(raw, headers, url) && recent(headers) },
  },
  "builds the URL from forwarding headers": {
    check: "refuses_wrong_url",
    parts: {
      verified(raw, headers, url) {
        const { "x-forwarded-host": host, "x-forwarded-proto": scheme } = headers;
        const { pathname } = new URL(url);
        const used = host === undefined ? url : `${scheme}://${host}${pathname}`;
        return service(raw, headers, used) && secret(headers) && recent(headers);
      },
    },
  },
  "skips the verification without headers": {
    check: "refuses_missing_headers",
    parts: { verified: (raw, headers, url) => !headers["webhook-signature"] || verified(raw, headers, url) },
  },
  "compares as many characters as arrived": {
    check: "refuses_cut_signature",
    parts: { verified: (raw, headers, url) => allSameStart(raw, headers, url) },
  },
  "compares the first eight characters": {
    check: "refuses_cut_signature",
    parts: { verified: (raw, headers, url) => allSameStart(raw, headers, url, 8) },
  },
  "accepts an old timestamp": {
    check: "refuses_old",
    parts: { verified: (raw, headers, url) => service(raw, headers, url) && secret(headers) },
  },
  "accepts a future timestamp": {
    check: "refuses_future",
    parts: {
      verified: (raw, headers, url) =>
        service(raw, headers, url) &&
        standard(raw, headers) &&
        Date.now() / 1000 - Number(headers["webhook-timestamp"]) <= TOLERANCE_S,
    },
  },
  "answers 200 to what it cannot verify": { check: "refuses_wrong_key", parts: { refusal_status: 200 } },
  "answers 500 to what it cannot verify": { check: "refuses_altered_body", parts: { refusal_status: 500 } },
  "does not drop repeats": { check: "once_repeated", parts: { claims: () => true } },
  "answers 500 to a repeat": { check: "once_repeated", parts: { repeat_status: 500 } },
  "looks for a repeat first and notes the event later": {
    check: "once_concurrent",
    parts: {
      async claims(seen, event_id) {
        const known = seen.has(event_id);
        // As long as a statement of a database takes.
        for (let turn = 0; turn < 50; turn++) await setImmediate();
        seen.add(event_id);
        return !known;
      },
    },
  },
  "answers before it stores": { check: "stores_before_answer", parts: { stores_late: true } },
  "never answers": { check: "accepts_event", parts: { never_answers: true } },
  "redirects to another path": { check: "no_redirect", parts: { redirects: true } },
  "lets a late event replace a newer one": {
    check: "keeps_newest",
    parts: { heard: (before, sequence) => ({ ...heard(before, sequence), sequence }) },
  },
  "refuses an event while another one is missing": {
    check: "notices_gap",
    parts: {
      refused: ({ order_number, sequence = 0 }, { orders }) =>
        order_number !== undefined && sequence > (orders[order_number]?.sequence ?? 0) + 1 ? 409 : undefined,
    },
  },
  "does not notice a gap": {
    check: "notices_gap",
    parts: { heard: (before, sequence) => ({ sequence: Math.max(before?.sequence ?? 0, sequence), missing: [] }) },
  },
  "measures the age of the event instead of the delivery": {
    check: "accepts_delayed",
    parts: { refused: ({ timestamp }) => (Date.now() / 1000 - timestamp > TOLERANCE_S ? 400 : undefined) },
  },
  "refuses types that it does not know": {
    check: "accepts_new_type",
    parts: { refused: ({ event_type }) => (isEventType(event_type) ? undefined : 400) },
  },
  "refuses fields that it does not know": {
    check: "accepts_new_field",
    parts: {
      refused: (event) =>
        Object.keys(event).every((name) => [...KNOWN_FIELDS, "sequence"].includes(name)) ? undefined : 422,
    },
  },
  "takes at most 100 KB": { check: "accepts_large", parts: { most_bytes: 100_000 } },
  "reads the first part of a body alone": { check: "accepts_slow_body", parts: { first_chunk_only: true } },
  "goes down with an oversized request": { check: "survives_oversized", parts: { dies_of_size: true } },
  "takes one delivery at a time": { check: "survives_crowd", parts: { one_at_a_time: true } },
};
