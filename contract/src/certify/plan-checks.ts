import { compactAsciiJson } from "../webhooks/compact-ascii-json.ts";
import { requestSigner, type SigningSecrets } from "../webhooks/request-signer.ts";
import { sampleEvents } from "../webhooks/sample-events.ts";
import { standardWebhookHeaders, webhookHeaders } from "../webhooks/webhook-headers.ts";
import type { EventType } from "../webhooks/webhooks.ts";
import type { ReceiverCheck } from "./receiver-checks.ts";

/** One request to the receiver. */
export type PlannedDelivery = {
  event_id: string;
  headers: Record<string, string>;
  body: string;
  /** The body goes out in this many pieces, one after the other. */
  pieces?: number;
};
/** Deliveries of one step go out at the same time, and steps one after the other. */
export type CheckPlan = readonly (readonly PlannedDelivery[])[];

export type CertifyRun = {
  url: string;
  operator_name: string;
  user_agent: string;
  secrets: SigningSecrets;
  /** Secrets that the receiver does not know. */
  other_secrets: SigningSecrets;
  now: Date;
  /** 12 random hexadecimal digits, so that no two runs share an event. */
  run_id: string;
  /** Marks every event as a test, so that a receiver in production does nothing with it. */
  test: boolean;
};

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const LARGE_BYTES = 150_000;
const OVERSIZED_BYTES = 5_000_000;
const REPEATS = 5;
const CROWD = 10;
const PIECES = 5;
/** How much of a signature a cut one keeps. */
const KEPT_CHARACTERS = 8;

/** Every check's deliveries. Nothing is sent here. */
export function planChecks(run: CertifyRun): Record<ReceiverCheck, CheckPlan> {
  const { url, operator_name, user_agent, secrets, other_secrets, now } = run;
  const now_s = Math.floor(now.getTime() / 1000);
  const names = webhookHeaders(operator_name);
  const sign = requestSigner(operator_name, user_agent, url, secrets);
  const signed_by = (as: Partial<SigningSecrets>, signed_url = url) =>
    requestSigner(operator_name, user_agent, signed_url, { ...secrets, ...as });

  let made = 0;
  const nextId = () => {
    made += 1;
    const { run_id } = run;
    return `${run_id.slice(0, 8)}-${run_id.slice(8)}-4000-8000-${made.toString(16).padStart(12, "0")}`;
  };
  const eventOf = (event_type: EventType, fields: object = {}) => ({
    event_id: nextId(),
    event_type,
    timestamp: now_s,
    ...sampleEvents[event_type](now),
    ...fields,
    ...(run.test && { test: true }),
  });
  const delivery = (event: { event_id: string }, by = sign, at_s = now_s): PlannedDelivery => {
    const body = compactAsciiJson(event);
    return { event_id: event.event_id, body, headers: by(event.event_id, body, at_s) };
  };
  const prescription = (fields: object = {}) => eventOf("RX_RECEIVED", fields);
  const good = (fields: object = {}) => delivery(prescription(fields));
  const [sample] = sampleEvents.RX_RECEIVED(now).medication_requests;

  /** A change of an order that no account has. */
  const changeOf = (order_number: string, sequence: number) =>
    delivery(eventOf("RX_UPDATED", { order_number, sequence }));
  const orderNumber = (letter: string) => `CERT${run.run_id.slice(0, 5).toUpperCase()}${letter}`;

  const withHeaders = ({ headers, ...rest }: PlannedDelivery, other: Record<string, string>) => ({
    ...rest,
    headers: { ...headers, ...other },
  });
  const signatures = [names.signature, names.secret, standardWebhookHeaders.signature];
  const withSignatures = (planned: PlannedDelivery, change: (signature: string) => string) =>
    withHeaders(planned, Object.fromEntries(signatures.map((name) => [name, change(planned.headers[name] ?? "")])));
  const start = (signature: string) => signature.slice(0, (signature.startsWith("v1,") ? 3 : 0) + KEPT_CHARACTERS);
  const { protocol, pathname, search } = new URL(url);
  const elsewhere = `${protocol}//elsewhere.example${pathname}${search}`;
  const forwarded = { "x-forwarded-host": "elsewhere.example", "x-forwarded-proto": protocol.slice(0, -1) };
  const repeated = good();
  const at_once = good();
  const altered = good();
  const spaced = good();
  const forged = delivery(prescription(), signed_by(other_secrets));
  const oversized = { ...forged, body: `${forged.body.slice(0, -1)},"padding":"${"x".repeat(OVERSIZED_BYTES)}"}` };

  return {
    no_redirect: [[good()]],
    accepts_event: [[good()]],
    stores_before_answer: [[good()]],
    accepts_raw_body: [
      [good({ medication_requests: [{ ...sample, sig_text: "Tóme 1 (una) ~ al día! L'été *fin* 💊 \u2028" }] })],
    ],
    accepts_large: [[good({ medication_requests: many(sample) })]],
    accepts_slow_body: [[{ ...good(), pieces: PIECES }]],
    accepts_new_type: [[good({ event_type: "CERTIFY_NEW_TYPE" })]],
    accepts_new_field: [[good({ certify_new_field: { of: ["a later", "release"] } })]],
    accepts_delayed: [[good({ timestamp: now_s - 3 * DAY_S })]],
    refuses_wrong_key: [[delivery(prescription(), signed_by(other_secrets))]],
    refuses_wrong_url: [
      [
        withHeaders(
          delivery(prescription(), signed_by({ signing_secret: other_secrets.signing_secret }, elsewhere)),
          forwarded,
        ),
      ],
    ],
    refuses_wrong_secret: [
      [
        delivery(
          prescription(),
          signed_by({ secret: other_secrets.secret, signing_secret: other_secrets.signing_secret }),
        ),
      ],
    ],
    refuses_altered_body: [[{ ...altered, body: altered.body.replace("sample-patient", "forged-patient") }]],
    refuses_added_spaces: [[{ ...spaced, body: spaced.body.replaceAll('":', '": ') }]],
    refuses_missing_headers: [[without(good(), signatures)]],
    refuses_cut_signature: [
      [withSignatures(good(), start)],
      [withSignatures(good(), (signature) => start(signature).padEnd(signature.length, "A"))],
    ],
    refuses_old: [[delivery(prescription(), sign, now_s - HOUR_S)]],
    refuses_future: [[delivery(prescription(), sign, now_s + HOUR_S)]],
    once_repeated: [[repeated], [repeated]],
    once_concurrent: [Array.from({ length: REPEATS }, () => at_once)],
    keeps_newest: [1, 3, 2].map((sequence) => [changeOf(orderNumber("A"), sequence)]),
    notices_gap: [1, 4].map((sequence) => [changeOf(orderNumber("B"), sequence)]),
    survives_oversized: [[oversized], [good()]],
    survives_crowd: [Array.from({ length: CROWD }, () => good())],
  };
}

/** Enough copies to reach the size of the large delivery. */
const many = (sample: object | undefined) => {
  const bytes = compactAsciiJson(sample).length + 1;
  return Array.from({ length: Math.ceil(LARGE_BYTES / bytes) }, () => sample);
};

const without = ({ headers, ...rest }: PlannedDelivery, names: readonly string[]): PlannedDelivery => ({
  ...rest,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))),
});
