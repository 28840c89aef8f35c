import { actionKeys } from "./actions.ts";
import { exceptionIds } from "./exceptions.ts";
import { documentTypes, genders, labelFormats, payers } from "./fields.ts";
import {
  array,
  boolean,
  closed,
  date,
  integer,
  named,
  nullable,
  number,
  oneOf,
  type Static,
  string,
} from "./schema.ts";
import { ENDPOINT_TEXT_MOST_CHARACTERS, eventTypeNames } from "./webhooks.ts";

/*
 * These describe requests to those who write them. The server does not validate with them: each field has a code of
 * its own, and all problems are told at once.
 */

/** In the flat form these are the body of `POST /patients/{patient_id}/shipping_address` too. */
export const AddressInput = named(
  "AddressInput",
  closed(
    {
      first_name: string(),
      last_name: string(),
      street1: string(),
      street2: nullable(string()),
      city: string(),
      state: string("2-character state code."),
      zip: string("5 or 9 digits."),
      phone: nullable(string("North American.")),
      accept_suggested: boolean("Use the suggested address when there is one."),
      ignore_warnings: boolean("Take the address as it is although it could not be validated."),
    },
    { optional: ["street2", "phone", "accept_suggested", "ignore_warnings"] },
  ),
);
export type AddressInput = Static<typeof AddressInput>;

export const IdentityDocumentInput = named(
  "IdentityDocumentInput",
  closed(
    {
      type: oneOf(documentTypes),
      issuing_country: string("2-character country code."),
      issuing_state: nullable(string("2-character state code; required for `DL` and `SI`.")),
      number: string("1 to 30 letters, digits and dashes."),
      expiration_date: date("In the future."),
    },
    { optional: ["issuing_state"] },
  ),
);
export type IdentityDocumentInput = Static<typeof IdentityDocumentInput>;

const PatientSafetyInput = named(
  "PatientSafetyInput",
  closed(
    { medications: array(string()), health_conditions: array(string()), allergies: array(string()) },
    { optional: ["medications", "health_conditions", "allergies"] },
  ),
);

export const PatientUpdate = named(
  "PatientUpdate",
  closed(
    { email: string(), phone: string(), gender: oneOf(genders), patient_safety: PatientSafetyInput },
    { optional: ["email", "phone", "gender", "patient_safety"] },
  ),
);
export type PatientUpdate = Static<typeof PatientUpdate>;

export const OrderItemInput = named(
  "OrderItemInput",
  closed(
    {
      prescription_id: integer("Required on every item that needs a prescription."),
      sku: string(),
      ndc: string(),
      gcn: string(),
      product_selection: string("A product's `sku` or `name`."),
      quantity: integer({ description: "Packages.", default: 1 }),
      package_size: number("Units in one package. Without it the item is one fill as written."),
      written_qty: number(),
      prescriber_name: string(),
      prescriber_phone: string(),
      prescriber_fax: string(),
    },
    {
      optional: [
        "prescription_id",
        "sku",
        "ndc",
        "gcn",
        "product_selection",
        "quantity",
        "package_size",
        "written_qty",
        "prescriber_name",
        "prescriber_phone",
        "prescriber_fax",
      ],
    },
  ),
);
export type OrderItemInput = Static<typeof OrderItemInput>;

const ShippingInput = named(
  "ShippingInput",
  closed(
    {
      method_id: integer("From `GET /shipping_methods`."),
      signature_confirmation: boolean(),
      label: closed(
        { format: oneOf(labelFormats), data: string("Base64."), carrier: string(), tracking_no: string() },
        { optional: ["carrier", "tracking_no"] },
      ),
    },
    { optional: ["signature_confirmation", "label"] },
  ),
);

const OrderPatientInput = named(
  "OrderPatientInput",
  closed(
    {
      patient_id: string("From the `RX_RECEIVED` webhook."),
      email: string(),
      first_name: string(),
      last_name: string(),
      dob: date(),
      gender: oneOf(genders),
      phone: string(),
      patient_safety: PatientSafetyInput,
      identity_documents: array(IdentityDocumentInput, "Required for controlled substances, unless on file."),
    },
    {
      optional: ["email", "first_name", "last_name", "dob", "gender", "phone", "patient_safety", "identity_documents"],
    },
  ),
);

const PaymentInput = named(
  "PaymentInput",
  closed(
    { payer: oneOf(payers, { default: "partner" }), token: string("Required when the patient pays.") },
    { optional: ["payer", "token"] },
  ),
);

const orderFields = {
  brand_id: integer("From `GET /brands`."),
  reference: string("The partner's own id; echoed."),
  shipping: ShippingInput,
  patient: OrderPatientInput,
  address: AddressInput,
  items: array(OrderItemInput, { minItems: 1 }),
  payment: PaymentInput,
};

/** `POST /orders`. */
export const OrderRequest = named(
  "OrderRequest",
  closed(orderFields, { optional: ["brand_id", "reference", "address", "payment"] }),
);
export type OrderRequest = Static<typeof OrderRequest>;

/** `POST /orders/{order_number}/reorders`: what is left out is copied from the earlier order. */
export const ReorderRequest = named(
  "ReorderRequest",
  closed(orderFields, {
    optional: ["brand_id", "reference", "shipping", "patient", "address", "items", "payment"],
  }),
);
export type ReorderRequest = Static<typeof ReorderRequest>;

/** `POST /orders/{order_number}/partner_order_action_requests`; the fields an event takes are in `actions`. */
export const ActionRequestInput = named(
  "ActionRequestInput",
  closed(
    {
      event: oneOf(actionKeys),
      exception_id: oneOf(exceptionIds, "Without it: the first open exception that offers the event."),
      reason_id: integer(),
      amount_cents: integer(),
      email: string(),
      address: AddressInput,
      prescription_id: integer(),
      dob: date(),
      item_id: integer(),
      token: string(),
    },
    {
      optional: [
        "exception_id",
        "reason_id",
        "amount_cents",
        "email",
        "address",
        "prescription_id",
        "dob",
        "item_id",
        "token",
      ],
    },
  ),
);
export type ActionRequestInput = Static<typeof ActionRequestInput>;

/** `POST /webhook_endpoints`. */
export const WebhookEndpointInput = named(
  "WebhookEndpointInput",
  closed(
    {
      url: string({ format: "uri" }),
      events: array(oneOf(eventTypeNames), "Left out or empty: every event that is not opt-in."),
      secret: string({ minLength: 1, maxLength: ENDPOINT_TEXT_MOST_CHARACTERS, writeOnly: true }),
      signing_credential_id: string("A `client_id`. Left out: the credential that makes the call."),
      description: nullable(string({ maxLength: ENDPOINT_TEXT_MOST_CHARACTERS })),
    },
    { optional: ["events", "signing_credential_id", "description"] },
  ),
);
export type WebhookEndpointInput = Static<typeof WebhookEndpointInput>;
