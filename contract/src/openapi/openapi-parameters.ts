import { ORDER_NUMBER_PATTERN, PATIENT_ID_PATTERN } from "../fields.ts";
import { MONTH_PATTERN } from "../statements/statements.ts";

type Parameter = { readonly name: string; readonly in: string; readonly description: string; readonly schema: object };

const inPath = (name: string, description: string, schema: object) => ({
  name,
  in: "path",
  required: true,
  description: `${description} A malformed ID or another account's returns 404.`,
  schema,
});

/** By their names in the paths of `endpoints`. */
export const pathParameters = {
  patient_id: inPath("patient_id", "The patient that a webhook or an order names.", {
    type: "string",
    pattern: PATIENT_ID_PATTERN,
    examples: ["ay87nt"],
  }),
  address_id: inPath("address_id", "One of the patient's `addresses`.", { type: "integer", minimum: 1, examples: [1] }),
  entry_id: inPath("entry_id", "One of the patient's `patient_safety.entries`.", {
    type: "integer",
    minimum: 1,
    examples: [2],
  }),
  order_number: inPath("order_number", "The order.", {
    type: "string",
    pattern: ORDER_NUMBER_PATTERN,
    examples: ["7K2M9XQ4TB"],
  }),
  schedule_id: inPath("schedule_id", "The refill schedule.", { type: "string", format: "uuid" }),
  month: inPath("month", "The month, in the pharmacy's time zone.", {
    type: "string",
    pattern: MONTH_PATTERN,
    examples: ["2026-11"],
  }),
  prescription_id: inPath("prescription_id", "The prescription.", { type: "integer", minimum: 1, examples: [183615] }),
  renewal_request_id: inPath("renewal_request_id", "The request for renewal.", { type: "string", format: "uuid" }),
  request_id: inPath("request_id", "The `X-Request-Id` of the answer.", { type: "string", format: "uuid" }),
  id: inPath("id", "The webhook endpoint.", { type: "string", format: "uuid" }),
  event_id: inPath("event_id", "The event.", { type: "string", format: "uuid" }),
} as const satisfies Record<string, Parameter>;

/** Optional request headers. */
export const headerParameters = {
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description: "ETags of your copies. If one is current, the response is 304 without a body.",
    schema: { type: "string" },
  },
  Prefer: {
    name: "Prefer",
    in: "header",
    description: "`return=minimal`: the response is 204 without a body, with the ETag of the changed record.",
    schema: { type: "string", examples: ["return=minimal"] },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "If you repeat the request within 24 hours, you get the first successful response again and nothing is done twice.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7E]+$" },
  },
} as const satisfies Record<string, Parameter>;
