/**
 * Every numbered error of the API: `code: [message, field, resolution]`. The API sends `message` verbatim. `field` is
 * the usual location of the problem. `[]` is a placeholder for a list index: a response names `items[0].ndc`.
 */
export const errors = {
  40000: ["Bad Request", "body", "Send a JSON object as the body."],
  40001: ["Malformed JSON", "body", "Send well-formed JSON in UTF-8, without duplicate keys."],
  40002: ["Unsupported Content Type", "Content-Type", "Send `Content-Type: application/json`."],
  40003: [
    "Invalid Query Parameter",
    "query",
    "Use only the documented query parameters, with values of the right type, each once.",
  ],
  40004: ["Request Body Too Large", "body", "Send at most 1 MiB."],
  40005: [
    "Invalid Header",
    "Idempotency-Key",
    "Send each header once and at most 16 KiB of headers. An Idempotency-Key has 1 to 255 visible ASCII characters.",
  ],
  40010: ["HTTPS Required", "url", "Send the request over HTTPS."],

  42200: ["Invalid Parameter", "body", "Check the field's name and value. The API rejects unknown fields."],

  42201: ["Invalid Patient Email", "patient.email", "Provide a valid email, such as `rosa@example.com`."],
  42202: ["Invalid Patient First Name", "patient.first_name", "Provide a valid first name."],
  42203: ["Invalid Patient Last Name", "patient.last_name", "Provide a valid last name."],
  42204: [
    "Invalid Patient Phone",
    "patient.phone",
    "Provide a valid North American phone number: ten digits, such as `4155550142`.",
  ],
  42205: ["Invalid Patient Gender", "patient.gender", "Use a gender code: `M`, `F` or `N`."],
  42206: [
    "Invalid Patient Id",
    "patient.patient_id",
    "Your account has no such patient. Use the `patient_id` from the `RX_RECEIVED` webhook.",
  ],
  42208: [
    "Invalid Patient Identity Documents",
    "patient.identity_documents",
    "A controlled substance requires an identity document that is still valid. Send `patient.identity_documents` with the order, or add one to the patient's record.",
  ],

  42216: [
    "Invalid Document Type",
    "patient.identity_documents[].type",
    "Use one of `DL`, `PP`, `MI`, `PR`, `SI`, `TI`, `OT`.",
  ],
  42217: [
    "Invalid Issuing Country",
    "patient.identity_documents[].issuing_country",
    "Provide a 2-character country code, such as `US`.",
  ],
  42218: [
    "Invalid Issuing State",
    "patient.identity_documents[].issuing_state",
    "Provide a 2-character state code, such as `CA`. `DL` and `SI` require one.",
  ],
  42219: ["Invalid Document Number", "patient.identity_documents[].number", "Provide the document number."],
  42220: [
    "Invalid Document Expiration Date",
    "patient.identity_documents[].expiration_date",
    "Provide a future date as `YYYY-MM-DD`.",
  ],

  42221: ["Invalid Address First Name", "address.first_name", "Provide a valid first name."],
  42222: ["Invalid Address Last Name", "address.last_name", "Provide a valid last name."],
  42223: ["Invalid Address Street1", "address.street1", "Provide a valid street address: the number and the street."],
  42225: ["Invalid Address City", "address.city", "Provide a valid city."],
  42226: ["Invalid Address State Abbreviation", "address.state", "Use a 2-character state code, such as `CA`."],
  42227: [
    "Invalid Address Zip",
    "address.zip",
    "The zip is malformed or not in the given state. Send five digits or ZIP+4, and the state of the same address.",
  ],
  42228: [
    "Invalid Address Update",
    "address",
    "The order has shipped or ended, or an open order ships to the address. Ask the carrier to redirect the parcel, or send another address.",
  ],
  42229: [
    "Invalid Controlled Substance Address Update",
    "address",
    "Ask the pharmacy: an order with a controlled substance changes its address only with its approval.",
  ],
  42230: [
    "Invalid Address",
    "address",
    "The address could not be validated. Correct it, set `accept_suggested`, or set `ignore_warnings`.",
  ],
  42231: [
    "Invalid Address State",
    "address.state",
    "The pharmacy has no license to ship to this state. Ship to an address in another state.",
  ],

  42241: [
    "Invalid Item NDC",
    "items[].ndc",
    "Your formulary has no product with this NDC. Use one from `GET /products`, with its dashes or as 11 digits.",
  ],
  42242: [
    "Invalid Item Quantity",
    "items[].quantity",
    "The product does not offer this quantity. Use one of its `quantities` in `GET /products`.",
  ],
  42243: ["Invalid Item Prescriber Name", "items[].prescriber_name", "Provide a valid prescriber name, or omit it."],
  42244: [
    "Invalid Item Prescriber Phone",
    "items[].prescriber_phone",
    "Provide a valid prescriber phone with ten digits, or omit it.",
  ],
  42245: [
    "Invalid Item Prescriber Fax",
    "items[].prescriber_fax",
    "Provide a valid prescriber fax with ten digits, or omit it.",
  ],
  42246: [
    "Invalid Item GCN",
    "items[].gcn",
    "Your formulary has no product with this GCN. Use one from `GET /products`.",
  ],
  42247: [
    "Invalid Item Package Size",
    "items[].package_size",
    "The product does not offer this package size. Use one of its `package_sizes` in `GET /products`.",
  ],
  42249: [
    "Invalid Item Prescription Id",
    "items[].prescription_id",
    "Use the id of an active prescription of this patient that the pharmacy has accepted and that is already effective. The patient's prescriptions (`GET …/rx`) say in `not_fillable` why one cannot be filled.",
  ],
  42250: [
    "Invalid Item Prescription Refills",
    "items[].prescription_id",
    "The prescription has no refills remaining. Ask the prescriber for a new one, or cancel an open order of it to free a fill.",
  ],
  42253: [
    "Invalid Item Inventory",
    "items[].quantity",
    "There is not enough stock, and the product does not allow back orders. Wait until `GET /products` shows `in_stock`, or order another product.",
  ],
  42254: [
    "Invalid Item SKU",
    "items[].sku",
    "Your formulary has no product with this SKU. Use one from `GET /products`.",
  ],
  42255: [
    "Invalid Item Prescription Quantity",
    "items[].quantity",
    "The items need more units than the prescription has left. Order less, or ask the prescriber for a new prescription.",
  ],
  42256: [
    "Invalid Item Shipping Method",
    "shipping.method_id",
    "The product does not allow this shipping method. Use one of its `shipping_method_ids` in `GET /products`.",
  ],
  42257: [
    "Invalid Item Prescription Expired",
    "items[].prescription_id",
    "The prescription has expired. A new one is required: ask the prescriber for it.",
  ],
  42258: [
    "Invalid Item Prescription Ndc",
    "items[].ndc",
    "The item must be the medication on the prescription. Omit `sku`, `ndc` and `gcn`: the prescription determines the product.",
  ],
  42259: [
    "Invalid Item Written Quantity",
    "items[].written_qty",
    "The product does not offer this written quantity. Use one of its `written_quantities` in `GET /products`.",
  ],
  42260: [
    "Invalid Item Product Selection",
    "items[].product_selection",
    "The product is not in your formulary. Use a `sku` or `name` from `GET /products`, or ask the pharmacy to add it.",
  ],

  42271: [
    "Invalid Refill Consent",
    "consent",
    "Send when and how the patient agreed to refills: `given_at`, not in the future, and `method`.",
  ],
  42272: [
    "Invalid Refill Interval",
    "every_days",
    "Use 7 to 365 days. Without `every_days` the prescription needs a days' supply in that range.",
  ],
  42273: ["Invalid Refill Lead", "lead_days", "Use 1 to 30 days."],
  42274: [
    "Invalid Refill Drug Schedule",
    "prescription_id",
    "A schedule 2 drug has no refills. Order each fill with its own prescription.",
  ],
  42275: [
    "Invalid Refill Schedule Count",
    "prescription_id",
    "The prescription has a schedule. Use it, or cancel it first.",
  ],
  42276: [
    "Canceled Refill Order",
    "last_order_number",
    "The last order of the schedule was canceled. Resume the schedule to order the fill again, or cancel it.",
  ],

  42281: [
    "Invalid Message Text",
    "text",
    "Write 1 to 2,000 characters of plain text, with line breaks and tabs as the only control characters.",
  ],
  42282: ["Invalid Message Reply", "in_reply_to", "Use the `message_id` of a message about the same order."],
  42283: ["Invalid Message Count", "text", "You sent 100 messages about this order. Contact the pharmacy another way."],

  42284: ["Invalid Renewal", "prescription_id", "Ask the prescriber for a new prescription."],
  42285: [
    "Invalid Renewal Repeated",
    "prescription_id",
    "A request for this prescription is open. Wait for the prescriber's answer.",
  ],
  42286: [
    "Invalid Renewal Unreachable",
    "prescription_id",
    "The pharmacy cannot send messages to this prescriber. Ask the prescriber directly.",
  ],

  42291: [
    "Invalid Shipping Method Id",
    "shipping.method_id",
    "Your account has no such shipping method. Use an id from `GET /shipping_methods`.",
  ],
  42292: [
    "Invalid Shipping Signature Confirmation",
    "shipping.signature_confirmation",
    "The selected shipping method has no signature confirmation. Omit it, or use a method whose `signature_confirmation` is true.",
  ],
  42293: [
    "Invalid Shipping Method Carrier",
    "shipping.method_id",
    "The carrier does not deliver to PO Boxes and general delivery. Use a shipping method whose `po_box` is true, or a street address.",
  ],
  42294: ["Invalid Shipping Label Format", "shipping.label.format", "Use one of `PDF`, `PNG`, `ZPL`."],
  42295: [
    "Invalid Shipping Label Impermissible",
    "shipping.label",
    "The account cannot send custom labels. Omit `shipping.label`, or ask the pharmacy to allow it.",
  ],
  42296: [
    "Invalid Shipping Label Data",
    "shipping.label.data",
    "Send base64 data in the given format, at most 512 KiB, with nothing but the label.",
  ],

  42299: [
    "Invalid Idempotency Key",
    "Idempotency-Key",
    "You sent this key with another body. Use a new key for each new request, and the same key only to retry the same body.",
  ],

  42380: [
    "Invalid Brand",
    "brand_id",
    "Your account has no such brand. Use an id from `GET /brands`, or omit it for the default brand.",
  ],

  42430: [
    "Invalid Order Status Reason Id",
    "reason_id",
    "A refund needs a reason that exists. Use an id from `GET /order_status_reasons`.",
  ],
  42461: ["Invalid Order Action Event", "event", "There is no such event. Use one from `GET /order_actions`."],
  42462: [
    "Invalid Order Action Request",
    "event",
    "You cannot verify this order through the API. Wait for the pharmacist, who must do it, or cancel the order.",
  ],
  42463: [
    "Invalid Order for Action Request",
    "event",
    "The event does not apply to the order in its current state. Read the order, and send an event of its `order_actions`.",
  ],
  42471: [
    "Invalid Refill Schedule for Action",
    "schedule_id",
    "The schedule's status does not allow the action. Read the schedule first.",
  ],
} as const satisfies Record<number, readonly [message: string, field: string, resolution: string]>;

export type ErrorCode = keyof typeof errors;

/** All codes, ascending. */
export const errorCodes = Object.keys(errors).map(Number) as ErrorCode[];

export const isErrorCode = (code: number): code is ErrorCode => code in errors;
/** Compares ranges instead of three digits, because 42380 and 42430 are 422 too (spec, Errors). */
export const statusOf = (code: ErrorCode): 400 | 422 => (code < 42_000 ? 400 : 422);
export const messageOf = (code: ErrorCode): string => errors[code][0];

/** What is wrong with a field (`error_detail[].problem`). */
export const fieldProblems = {
  missing: "The request lacks a required field.",
  wrong_type: "The value has another JSON type than the field.",
  unknown_field: "The operation has no field or query parameter of this name.",
  not_allowed: "The value has the right type, but the field does not accept it.",
  not_found: "The value names nothing that this request can use.",
  conflict: "The value does not fit another field or the current state of the record.",
} as const;
export type FieldProblem = keyof typeof fieldProblems;
export const fieldProblemNames = Object.keys(fieldProblems) as [FieldProblem, ...FieldProblem[]];

/** The problem behind a code, unless the check that found it names another one. */
export const usualProblems: { readonly [Code in ErrorCode]?: FieldProblem } = {
  40003: "not_allowed",
  42201: "not_allowed",
  42202: "not_allowed",
  42203: "not_allowed",
  42204: "not_allowed",
  42205: "not_allowed",
  42206: "not_found",
  42208: "missing",
  42216: "not_allowed",
  42217: "not_allowed",
  42218: "not_allowed",
  42219: "not_allowed",
  42220: "not_allowed",
  42221: "not_allowed",
  42222: "not_allowed",
  42223: "not_allowed",
  42225: "not_allowed",
  42226: "not_allowed",
  42227: "not_allowed",
  42228: "conflict",
  42229: "conflict",
  42230: "not_allowed",
  42231: "not_allowed",
  42241: "not_found",
  42242: "not_allowed",
  42243: "not_allowed",
  42244: "not_allowed",
  42245: "not_allowed",
  42246: "not_found",
  42247: "not_allowed",
  42249: "not_found",
  42250: "conflict",
  42253: "conflict",
  42254: "not_found",
  42255: "conflict",
  42256: "not_allowed",
  42257: "conflict",
  42258: "conflict",
  42259: "not_allowed",
  42260: "not_found",
  42271: "not_allowed",
  42272: "not_allowed",
  42273: "not_allowed",
  42274: "not_allowed",
  42275: "conflict",
  42276: "conflict",
  42281: "not_allowed",
  42282: "not_found",
  42283: "conflict",
  42284: "not_allowed",
  42285: "conflict",
  42286: "not_allowed",
  42291: "not_found",
  42292: "not_allowed",
  42293: "not_allowed",
  42294: "not_allowed",
  42295: "not_allowed",
  42296: "not_allowed",
  42299: "conflict",
  42380: "not_found",
  42430: "not_found",
  42461: "not_found",
  42462: "not_allowed",
  42463: "conflict",
  42471: "conflict",
};

/** How to send a value of each JSON type. */
export const typeTexts = {
  string: "Send a string.",
  integer: "Send a whole number, without quotes.",
  number: "Send a number, without quotes.",
  boolean: "Send true or false, without quotes.",
  array: "Send a list.",
  object: "Send an object.",
} as const;
export type JsonType = keyof typeof typeTexts;

/** How to send a text of each format. */
export const formatTexts: { readonly [format: string]: string } = {
  date: "Send a date as `YYYY-MM-DD`, such as `2026-11-15`.",
  "date-time": "Send a time in UTC, such as `2026-11-15T08:30:00.000Z`.",
  uuid: "Send a UUID.",
};

/** The values that a field accepts, in words, as its row in the contract says. */
export function limitText(row: { readonly [keyword: string]: unknown }): string | undefined {
  const { format = "", minimum, maximum, minLength = 0, maxLength, minItems = 0, maxItems } = row as Limits;
  if (row["enum"] !== undefined) return "Use one of the values in `allowed`.";
  if (formatTexts[format] !== undefined) return formatTexts[format];
  if (minimum !== undefined && maximum !== undefined) return `Send a number from ${minimum} to ${maximum}.`;
  if (minimum !== undefined) return `Send a number from ${minimum}.`;
  if (maxItems !== undefined) return `Send a list of ${upTo(minItems, maxItems)} entries.`;
  if (minItems > 0) return `Send a list of at least ${minItems} entries.`;
  if (row["pattern"] === undefined && maxLength !== undefined) return `Send ${upTo(minLength, maxLength)} characters.`;
  return undefined;
}
const upTo = (least: number, most: number) => (least === 0 ? `at most ${most}` : `${least} to ${most}`);
type Limits = { format?: string } & {
  [Name in "minimum" | "maximum" | "minLength" | "maxLength" | "minItems" | "maxItems"]?: number;
};

const MISSING = "The request needs this field.";
/** For the codes that any field can have: their resolution names all causes, and these name one. */
const causeTexts: { readonly [Code in ErrorCode]?: { readonly [Problem in FieldProblem]?: string } } = {
  40003: {
    unknown_field: "The operation has no query parameter of this name. Check its spelling.",
    not_found:
      "The cursor is not one of this list. Use `next_cursor` of the same list unchanged, or omit it to start again.",
  },
  42200: {
    missing: MISSING,
    unknown_field: "The request has no field of this name here. Check its spelling and where it belongs.",
    not_allowed: "The field does not accept this value. The API reference has its limits.",
    not_found: "Your account has no such record. Use the id of one that you can read.",
    conflict: "The value does not fit the record's current state or another field.",
  },
};

/** The message of an `error_detail`, if the check has none of its own. `expected` is the type that a `wrong_type` lacks. */
export function detailMessage(code: ErrorCode, problem?: FieldProblem, expected?: JsonType): string {
  const resolution = errors[code][2];
  if (problem === undefined) return resolution;
  if (problem === "wrong_type" && expected !== undefined) return typeTexts[expected];
  return causeTexts[code]?.[problem] ?? (problem === "missing" ? `${MISSING} ${resolution}` : resolution);
}

/** The page with every error, and the anchor of one: a code, a status or the name of an OAuth error. */
export const ERRORS_PAGE = "/docs/errors";
export const errorDocUrl = (base_url: string, name: number | string): string => `${base_url}${ERRORS_PAGE}#${name}`;

/** How many details an error has at most, how many errors an answer has, and how many values `allowed` lists. */
export const MOST_DETAILS = 20;
export const MOST_CODES = 20;
export const MOST_ALLOWED = 20;

/** Codes that no request gets: they say why something else stopped. */
export const reasonCodes: readonly ErrorCode[] = [42276];

/** The areas of the error catalogue, each with its last code. */
export const errorAreas = [
  { area: "Request", last: 40010 },
  { area: "Any field", last: 42200 },
  { area: "Patient", last: 42208 },
  { area: "Identity documents", last: 42220 },
  { area: "Address", last: 42231 },
  { area: "Items and prescription", last: 42260 },
  { area: "Refill schedules", last: 42276 },
  { area: "Messages", last: 42283 },
  { area: "Shipping", last: 42296 },
  { area: "Idempotency", last: 42299 },
  { area: "Brand", last: 42380 },
  { area: "Order actions", last: 42463 },
  { area: "Refill schedule actions", last: 42471 },
] as const;

/** What an HTTP status means in this API. */
export const statuses = {
  200: "OK. The body is the requested resource.",
  201: "Created. The body is the new resource.",
  202: "Accepted. The service started the work. The body has what is known so far.",
  204: "Updated. The body is empty.",
  304: "Not Modified. Your copy, named in `If-None-Match`, is current.",
  400: "Bad Request. The service could not read the request.",
  401: "Unauthorized. The access token is missing, invalid, or lacks the scope.",
  404: "Not Found. The path does not exist, or your account has no such record.",
  405: "Method Not Allowed. The path exists, but not with this method. `Allow` lists its methods.",
  406: "Not Acceptable. `Accept` must name `application/json`.",
  409: "Conflict. The request conflicts with another recent request, usually a duplicate.",
  422: "Unprocessable Entity. The service read the request and cannot carry it out.",
  429: "Too Many Requests. You reached the rate limit or a quota, which `error.quota` names. Wait for `Retry-After` seconds.",
  500: "Server Error. The problem is on our side. Quote `X-Request-Id` when you report it.",
  503: "Service Unavailable. Temporary: wait for `Retry-After` seconds and retry.",
} as const;

/** Messages of errors without numbered codes. */
export const statusMessages = {
  404: "The resource was not found. Check the path and the id: an account has only its own records, and sandbox and production share none.",
  405: "The method is not allowed for this path. Use one of the methods in Allow.",
  406: "The Accept header must name application/json. Send Accept: application/json.",
  409: "This request conflicts with another recent request. Check that it is not a duplicate, then send it again.",
  429: "Too many requests. Wait for the time in Retry-After, then send it again.",
  500: "The server could not complete the request. Quote the X-Request-Id when you report this.",
  503: "The service is temporarily unavailable. Wait for the time in Retry-After, then send it again.",
} as const;

export type StatusErrorCode = keyof typeof statusMessages;
