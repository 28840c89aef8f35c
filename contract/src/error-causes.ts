import type { ErrorCode } from "./errors.ts";

/**
 * A request that gets the code. `order` is what is wrong in a body of `POST /orders` that is right otherwise, for a
 * prescription with the fields of `prescription`; anything else is a request with all that matters of it.
 */
export type ErrorExample =
  | { readonly prescription?: object; readonly order: object }
  | {
      readonly request: string;
      /** Where the order has to stand. */
      readonly order_status?: "Shipped";
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    };

/** What the documentation tells of an error beside its row: why it comes, and what to do where the row does not say. */
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

export const errorCauses: Record<ErrorCode, ErrorCause> = {
  40000: { cause: "The body is JSON, but no object.", example: { request: "POST /orders", body: "[]" } },
  40001: {
    cause:
      "The body cannot be read as JSON: a comma too many, a quote missing, bytes that are not UTF-8, one name twice.",
    example: { request: "POST /orders", body: '{"reference": "inv-1",}' },
  },
  40002: {
    cause: "The request has a body and does not say that it is JSON.",
    example: { request: "POST /orders", headers: { "Content-Type": "text/plain" }, body: "{}" },
  },
  40003: {
    cause: "A parameter is not one of the operation's, is misspelt, or its value is of another kind.",
    example: { request: "GET /orders?colour=red" },
  },
  40004: { cause: "The body has more than 1,048,576 bytes. Labels of your own are the usual reason.", example: null },
  40005: {
    cause: "The key has a space or a letter outside ASCII, is empty or too long, or a header was sent twice.",
    example: { request: "POST /orders", headers: { "Idempotency-Key": "my order" }, body: "{}" },
  },
  40010: {
    cause: "The request came without TLS to a service that is reached over HTTPS.",
    fix: "Use `https://`. Treat the token as leaked: it travelled in the clear.",
    example: null,
  },
  42200: {
    cause: "A field is unknown, missing or of another kind, and no code of its own fits.",
    example: { order: { adress: "2210 Mission St" } },
  },
  42201: { cause: "It is no e-mail address.", example: patient({ email: "rosa@" }) },
  42202: { cause: "It is empty, too long, or holds signs that no name has.", example: patient({ first_name: "R0sa" }) },
  42203: { cause: "It is empty, too long, or holds signs that no name has.", example: patient({ last_name: "" }) },
  42204: { cause: "It is not ten digits of a North American number.", example: patient({ phone: "+44 20 7946 0958" }) },
  42205: { cause: "It is another code, or a word.", example: patient({ gender: "female" }) },
  42206: {
    cause: "Your account has no such patient. Patients come into being with a prescription, not with an order.",
    example: patient({ patient_id: "nobody-here" }),
  },
  42208: {
    cause: "An item is a controlled substance, and neither the request nor the patient's record has a valid document.",
    fix: "Send `patient.identity_documents` with the order, or add one with `POST /patients/{patient_id}/identity_documents`.",
    example: { prescription: { drug_name: "zolpidem", written_qty: 30, refills_left: 0 }, order: {} },
  },
  42216: { cause: "It is another code.", example: document({ type: "XX" }) },
  42217: { cause: "It is not the two letters of ISO 3166.", example: document({ issuing_country: "USA" }) },
  42218: { cause: "It is no state, or missing where the type needs one.", example: document({ issuing_state: "ZZ" }) },
  42219: { cause: "It is missing or empty.", example: document({ number: "" }) },
  42220: { cause: "It is past, or no date.", example: document({ expiration_date: "2020-01-01" }) },
  42221: { cause: "It is empty, too long, or holds signs that no name has.", example: address({ first_name: "" }) },
  42222: { cause: "It is empty, too long, or holds signs that no name has.", example: address({ last_name: "" }) },
  42223: { cause: "It is missing, empty or too long.", example: address({ street1: "" }) },
  42225: { cause: "It is missing, or no name of a city.", example: address({ city: "94110" }) },
  42226: { cause: "The state is spelt out, or is none.", example: address({ state: "California" }) },
  42227: {
    cause: "It is neither five digits nor ZIP+4, nobody has it, or it lies in another state.",
    fix: "Send the zip of the place, in the state that is given.",
    example: address({ zip: "10001" }),
  },
  42228: {
    cause: "The order has been shipped or has ended, so its address is what was printed.",
    fix: "Redirect the parcel with the carrier, or order again.",
    example: null,
  },
  42229: {
    cause: "The address of an order with a controlled substance was to be changed.",
    example: null,
  },
  42230: {
    cause: "Nobody knows the building, or its unit number is missing. The answer has a suggestion where there is one.",
    example: address({ street1: "77 Mission St" }),
  },
  42231: {
    cause: "Where the pharmacy has no licence it may not ship, whatever the product.",
    fix: "Ship to an address in another state, or place the order with another pharmacy.",
    example: address({ street1: "1450 Ala Moana Blvd", city: "Honolulu", state: "HI", zip: "96814" }),
  },
  42241: {
    cause: "No product of your catalogue has it, or it has ten digits.",
    fix: "Use an NDC from `GET /products`, with its dashes or as 11 digits.",
    example: item({ ndc: "70999-9999-99" }),
  },
  42242: { cause: "`GET /products` lists the quantities; this is none of them.", example: item({ quantity: 4 }) },
  42243: { cause: "It has no letter, or is too long.", example: item({ prescriber_name: "-" }) },
  42244: { cause: "It is not ten digits of a North American number.", example: item({ prescriber_phone: "555" }) },
  42245: { cause: "It is not ten digits of a North American number.", example: item({ prescriber_fax: "555" }) },
  42246: {
    cause: "No product of your catalogue has it.",
    fix: "Use a GCN from `GET /products`.",
    example: item({ gcn: "99999" }),
  },
  42247: {
    cause: "`GET /products` lists the package sizes; this is none of them.",
    example: item({ package_size: 45 }),
  },
  42249: {
    cause:
      "It is missing where the product needs one, or names a prescription of somebody else, one that was canceled, that begins later, or that a pharmacist has not accepted.",
    example: item({ prescription_id: 999999999 }),
  },
  42250: {
    cause: "Every fill that was written has been dispensed or is part of another order.",
    fix: "Ask the prescriber for a new prescription. Until then an order that is under way can be canceled to free its fill.",
    example: null,
  },
  42253: {
    cause: "Fewer units are available than the item needs, and the product takes no back orders.",
    fix: "Wait until `GET /products` says `in_stock`, or order another product.",
    example: { prescription: { drug_name: "tretinoin", written_qty: 45 }, order: { items: [{ package_size: 45 }] } },
  },
  42254: {
    cause: "Your catalogue has no such product, or has it no more.",
    fix: "Use a SKU from `GET /products`.",
    example: item({ sku: "nimbus-pouch" }),
  },
  42255: {
    cause: "The prescription has fewer units left than the items ask for together.",
    example: item({ quantity: 2 }, { refills_left: 0 }),
  },
  42256: {
    cause: "The product must go another way: cold, or against a signature.",
    fix: "Use one of the product's `shipping_method_ids`.",
    example: {
      prescription: { drug_name: "semaglutide", written_qty: 3 },
      order: { items: [{ package_size: 3 }], shipping: { method_id: 1 } },
    },
  },
  42257: {
    cause:
      "It was written too long ago: a year for most, six months at most where it is controlled, unless a state has a rule of its own.",
    fix: "Ask the prescriber for a new prescription.",
    example: { prescription: { written_date: "2020-01-01" }, order: {} },
  },
  42258: {
    cause: "The item names a product with another active ingredient, strength or form than was prescribed.",
    fix: "Leave the product out: the prescription names it.",
    example: item({ sku: "sertraline-50" }),
  },
  42259: {
    cause: "`GET /products` lists the written quantities; this, or the prescription's, is none of them.",
    example: item({ written_qty: 45 }),
  },
  42260: {
    cause: "What was prescribed, or what the item names, is no product of your catalogue.",
    fix: "Ask the pharmacy to add it, or have something else prescribed.",
    example: item({ product_selection: "Nimbustatin 5 mg tablet" }),
  },
  42291: { cause: "The account has no such shipping method, or has it no more.", example: shipping({ method_id: 9 }) },
  42292: {
    cause: "A signature is asked for, and nobody of that carrier asks for one.",
    fix: "Use a method whose `signature_confirmation` is true.",
    example: shipping({ method_id: 2, signature_confirmation: true }),
  },
  42293: {
    cause: "The carrier of that method does not deliver to PO Boxes.",
    example: { order: { shipping: { method_id: 3 }, address: { street1: "PO Box 1204", street2: null } } },
  },
  42294: { cause: "The format is another one.", example: shipping({ label: { format: "GIF", data: "R0lGODlh" } }) },
  42295: {
    cause: "The account is not set up to send labels of its own.",
    fix: "Leave `shipping.label` out, or ask the pharmacy to allow it.",
    example: null,
  },
  42296: {
    cause: "The data is not base64, or not what `format` says.",
    example: shipping({ label: { format: "PDF", data: "bm8gcGRm" } }),
  },
  42299: {
    cause: "Within the last 24 hours the key was used on the same path with another body.",
    fix: "Make a new key for each thing you want done, and use it again only to repeat the very same request.",
    example: null,
  },
  42380: { cause: "The account has no such brand, or has it no more.", example: { order: { brand_id: 99 } } },
  42430: {
    cause: "A refund names no reason, or one that does not exist.",
    example: { ...action('{"event": "refund", "reason_id": 1}'), order_status: "Shipped" },
  },
  42461: { cause: "There is no such action.", example: action('{"event": "hurry"}') },
  42462: {
    cause: "`verify` was sent for an allergy (74), an interaction (75) or an order with a schedule 2 item.",
    fix: "Wait for the pharmacist, who sees the order already, or cancel it.",
    example: null,
  },
  42463: {
    cause: "The order, as it stands, does not offer this action: it has moved on, or no open exception asks for it.",
    fix: "Ask for the order and look at `exceptions` and their `order_actions`.",
    example: action('{"event": "release"}'),
  },
};
