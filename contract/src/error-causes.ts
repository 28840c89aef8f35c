import type { ErrorCode } from "./errors.ts";
import { MOST_MESSAGES_PER_AUTHOR } from "./messages.ts";
import type { ScheduleAction } from "./schedules/schedules.ts";

/**
 * A request that gets the code. `order` holds the fields to change in an otherwise valid `POST /orders` body, for a
 * prescription with the fields of `prescription`. Every other form is a complete request.
 */
export type ErrorExample =
  | { readonly prescription?: object; readonly order: object }
  /** The fields to change in an otherwise valid `POST /refill_schedules` body. `next`: the request after it. */
  | { readonly prescription?: object; readonly schedule: object; readonly next?: "create" | ScheduleAction }
  | {
      readonly request: string;
      /** The status the order must be in. */
      readonly order_status?: "Shipped";
      /** How many messages about the order the partner has sent before. */
      readonly after_messages?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    };

/** What the documentation adds to an error's row: its cause, and a fix if the row has none. */
type ErrorCause = { readonly cause: string; readonly fix?: string; readonly example: ErrorExample | null };

const shipping = (fields: object): ErrorExample => ({ order: { shipping: fields } });
const patient = (fields: object): ErrorExample => ({ order: { patient: fields } });
const document = (fields: object): ErrorExample => ({ order: { patient: { identity_documents: [fields] } } });
const address = (fields: object): ErrorExample => ({ order: { address: fields } });
const item = (fields: object, prescription?: object): ErrorExample => ({
  ...(prescription && { prescription }),
  order: { items: [fields] },
});
const action = (body: string) => ({
  request: "POST /orders/{order_number}/partner_order_action_requests",
  body,
});

const message = (body: string) => ({ request: "POST /orders/{order_number}/messages", body });

export const errorCauses: Record<ErrorCode, ErrorCause> = {
  40000: { cause: "The body is JSON but not an object.", example: { request: "POST /orders", body: "[]" } },
  40001: {
    cause:
      "The body is not valid JSON: for example an extra comma, a missing quote, bytes that are not UTF-8, or a duplicate key.",
    example: { request: "POST /orders", body: '{"reference": "inv-1",}' },
  },
  40002: {
    cause: "The request has a body but no JSON content type.",
    example: { request: "POST /orders", headers: { "Content-Type": "text/plain" }, body: "{}" },
  },
  40003: {
    cause: "The operation does not have this parameter, its name is misspelled, or its value has the wrong type.",
    example: { request: "GET /orders?color=red" },
  },
  40004: {
    cause:
      "The body is larger than 1,048,576 bytes, or an object in it has more than 1,000 fields. Custom labels are the usual reason.",
    example: null,
  },
  40005: {
    cause: "The key has a space or a non-ASCII character, is empty or too long, or a header was sent twice.",
    example: { request: "POST /orders", headers: { "Idempotency-Key": "my order" }, body: "{}" },
  },
  40010: {
    cause: "The request arrived without TLS at a service that requires HTTPS.",
    fix: "Use `https://`. Treat the token as leaked: it was sent unencrypted.",
    example: null,
  },
  42200: {
    cause: "A field is unknown, missing or of the wrong type, and has no code of its own.",
    example: { order: { adress: "2210 Mission St" } },
  },
  42201: { cause: "The value is not an email address.", example: patient({ email: "rosa@" }) },
  42202: {
    cause: "The name is empty, too long, or has characters that names do not have.",
    example: patient({ first_name: "R0sa" }),
  },
  42203: {
    cause: "The name is empty, too long, or has characters that names do not have.",
    example: patient({ last_name: "" }),
  },
  42204: {
    cause: "The number is not a ten-digit North American number.",
    example: patient({ phone: "+44 20 7946 0958" }),
  },
  42205: { cause: "The value is not one of the codes.", example: patient({ gender: "female" }) },
  42206: {
    cause: "Your account has no such patient. A prescription creates a patient; an order does not.",
    example: patient({ patient_id: "nobody-here" }),
  },
  42208: {
    cause: "An item is a controlled substance, and neither the request nor the patient's record has a valid document.",
    example: { prescription: { drug_name: "zolpidem", written_qty: 30, refills_left: 0 }, order: {} },
  },
  42216: { cause: "The value is not one of the codes.", example: document({ type: "XX" }) },
  42217: { cause: "The value is not a two-letter ISO 3166 code.", example: document({ issuing_country: "USA" }) },
  42218: {
    cause: "The value is not a state, or it is missing although the document type requires one.",
    example: document({ issuing_state: "ZZ" }),
  },
  42219: { cause: "The number is missing or empty.", example: document({ number: "" }) },
  42220: { cause: "The date is in the past or is not a date.", example: document({ expiration_date: "2020-01-01" }) },
  42221: {
    cause: "The name is empty, too long, or has characters that names do not have.",
    example: address({ first_name: "" }),
  },
  42222: {
    cause: "The name is empty, too long, or has characters that names do not have.",
    example: address({ last_name: "" }),
  },
  42223: { cause: "The street is missing, empty or too long.", example: address({ street1: "" }) },
  42225: { cause: "The city is missing or is not a city name.", example: address({ city: "94110" }) },
  42226: { cause: "The state is spelled out or does not exist.", example: address({ state: "California" }) },
  42227: {
    cause: "The zip is not five digits or ZIP+4, does not exist, or is in another state.",
    example: address({ zip: "10001" }),
  },
  42228: {
    cause: "The order has shipped or ended, so its printed address is final.",
    example: null,
  },
  42229: {
    cause: "The request changes the address of an order with a controlled substance.",
    example: null,
  },
  42230: {
    cause:
      "The validator does not know the building, or the unit number is missing. The response has a suggestion if there is one.",
    example: address({ street1: "77 Mission St" }),
  },
  42231: {
    cause: "The pharmacy has no license in that state, so it cannot ship any product there.",
    example: address({ street1: "1450 Ala Moana Blvd", city: "Honolulu", state: "HI", zip: "96814" }),
  },
  42241: {
    cause: "No product of your catalogue has this NDC, or it has ten digits.",
    example: item({ ndc: "70999-9999-99" }),
  },
  42242: {
    cause: "The product does not offer this quantity. `GET /products` lists the quantities.",
    example: item({ quantity: 4 }),
  },
  42243: { cause: "The name has no letter or is too long.", example: item({ prescriber_name: "-" }) },
  42244: { cause: "The number is not a ten-digit North American number.", example: item({ prescriber_phone: "555" }) },
  42245: { cause: "The number is not a ten-digit North American number.", example: item({ prescriber_fax: "555" }) },
  42246: {
    cause: "No product of your catalogue has this GCN.",
    example: item({ gcn: "99999" }),
  },
  42247: {
    cause: "The product does not offer this package size. `GET /products` lists the package sizes.",
    example: item({ package_size: 45 }),
  },
  42249: {
    cause:
      "The product requires a prescription and the item names none. Or the prescription belongs to another patient, was canceled, is not effective yet, or a pharmacist has not accepted it.",
    example: item({ prescription_id: 999999999 }),
  },
  42250: {
    cause: "All prescribed fills have been dispensed or belong to other orders.",
    example: null,
  },
  42253: {
    cause: "The item needs more units than are available, and the product does not allow back orders.",
    example: { prescription: { drug_name: "tretinoin", written_qty: 45 }, order: { items: [{ package_size: 45 }] } },
  },
  42254: {
    cause: "Your catalogue does not have this product, or no longer has it.",
    example: item({ sku: "nimbus-pouch" }),
  },
  42255: {
    cause: "The items together need more units than the prescription has left.",
    example: item({ quantity: 2 }, { refills_left: 0 }),
  },
  42256: {
    cause: "The product needs another shipping method: cold, or with a signature.",
    example: {
      prescription: { drug_name: "semaglutide", written_qty: 3 },
      order: { items: [{ package_size: 3 }], shipping: { method_id: 1 } },
    },
  },
  42257: {
    cause:
      "The prescription was written too long ago: more than a year, more than six months for schedules 3 to 5, or more than 90 days for schedule 2, unless the state has its own rule. Or the time for the rest of a partial schedule 2 fill has passed.",
    example: { prescription: { written_date: "2020-01-01" }, order: {} },
  },
  42258: {
    cause:
      "The item names a product with another active ingredient, strength or form than the prescription, or its SKU and NDC are two products.",
    example: item({ sku: "sertraline-50" }),
  },
  42259: {
    cause:
      "The product does not offer this written quantity, or the prescription's. `GET /products` lists the written quantities.",
    example: item({ written_qty: 45 }),
  },
  42260: {
    cause: "Your catalogue does not have the prescribed product, or the one the item names.",
    example: item({ product_selection: "Nimbustatin 5 mg tablet" }),
  },
  42271: {
    cause: "The consent is missing, its method is not one of the list, or its time is in the future or not a time.",
    example: { schedule: { consent: { given_at: "2999-01-01", method: "verbal" } } },
  },
  42272: {
    cause: "The number is out of range, or it is missing and the prescription has no days' supply in that range.",
    example: { schedule: { every_days: 3 } },
  },
  42273: { cause: "The number is out of range.", example: { schedule: { lead_days: 90 } } },
  42274: {
    cause: "The prescription, or the product that would be filled, is a schedule 2 controlled substance.",
    example: { prescription: { drug_name: "dextroamphetamine", written_qty: 30, refills_left: 0 }, schedule: {} },
  },
  42275: {
    cause: "An active or paused schedule orders the fills of this prescription already.",
    example: { schedule: {}, next: "create" },
  },
  42276: {
    cause:
      "You or the pharmacy canceled the order that the schedule placed. No request gets this code: it is in `paused_because`.",
    example: null,
  },
  42281: {
    cause: "The text is missing, empty, not a string, longer than 2,000 characters, or has control characters.",
    example: message('{"text": ""}'),
  },
  42282: {
    cause: "The order has no message with this id. It can belong to another order.",
    fix: "Use a `message_id` from `GET /orders/{order_number}/messages`.",
    example: message('{"text": "Yes.", "in_reply_to": "019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42"}'),
  },
  42283: {
    cause: "The partner and the pharmacy can each send 100 messages about an order.",
    fix: "To end a hold, send an action of the exception instead of an answer.",
    example: { ...message('{"text": "One more."}'), after_messages: MOST_MESSAGES_PER_AUTHOR },
  },
  42284: {
    cause:
      "The prescription was canceled or replaced, was never filled, or is for a schedule 2 drug, or its prescriber does not accept requests for renewal. The error names which of them.",
    example: { request: "POST /prescriptions/{prescription_id}/renewal_requests", body: '{"refills": 3}' },
  },
  42285: {
    cause: "A prescription can have one open request, and the prescriber has not answered the last one.",
    fix: "Without an answer it expires after 14 days.",
    example: null,
  },
  42286: {
    cause: "The pharmacy has no address of the network that sent this prescription.",
    fix: "The operator of the pharmacy sets up the network with `pestle partner route`.",
    example: null,
  },
  42291: {
    cause: "The account does not have this shipping method, or no longer has it.",
    example: shipping({ method_id: 9 }),
  },
  42292: {
    cause: "The order requests a signature, and the carrier does not offer one with this method.",
    example: shipping({ method_id: 2, signature_confirmation: true }),
  },
  42293: {
    cause: "The carrier of this method does not deliver to PO Boxes.",
    example: { order: { shipping: { method_id: 3 }, address: { street1: "PO Box 1204", street2: null } } },
  },
  42294: {
    cause: "The format is not one of the three.",
    example: shipping({ label: { format: "GIF", data: "R0lGODlh" } }),
  },
  42295: {
    cause: "The account cannot send custom labels.",
    example: null,
  },
  42296: {
    cause: "The data is not base64, or not in the format that `format` names.",
    example: shipping({ label: { format: "PDF", data: "bm8gcGRm" } }),
  },
  42299: {
    cause: "The key was used in the last 24 hours on the same path with another body.",
    example: null,
  },
  42380: { cause: "The account does not have this brand, or no longer has it.", example: { order: { brand_id: 99 } } },
  42430: {
    cause: "A refund has no reason, or one that does not exist.",
    example: { ...action('{"event": "refund", "reason_id": 1}'), order_status: "Shipped" },
  },
  42461: { cause: "This action does not exist.", example: action('{"event": "hurry"}') },
  42462: {
    cause:
      "`verify` was sent for an allergy (74), an interaction (75), another patient name (71), the quantity of a controlled drug (72), or an order with a schedule 2 item.",
    example: null,
  },
  42463: {
    cause: "The order does not offer this action now: its status has changed, or no open exception offers it.",
    example: action('{"event": "release"}'),
  },
  42471: {
    cause: "A canceled schedule allows no action, only an active one can be paused, and only a paused one resumed.",
    example: { schedule: {}, next: "resume" },
  },
};
