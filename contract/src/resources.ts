import { actionKeys } from "./actions.ts";
import { ErrorEntry } from "./error-bodies.ts";
import { exceptionIds } from "./exceptions.ts";
import {
  documentTypes,
  drug_schedule,
  genders,
  labelFormats,
  ndc,
  order_number,
  order_status,
  patient_id,
  payers,
  paymentStatuses,
  safetyKindNames,
  safetySources,
  safetyStatuses,
  shipmentStatuses,
  workflows,
} from "./fields.ts";
import { type TransitionEvent, transitions } from "./lifecycle.ts";
import { PatientMessaging } from "./practice/patient-notices.ts";
import {
  array,
  boolean,
  date,
  integer,
  named,
  nullable,
  number,
  object,
  oneOf,
  type Static,
  string,
  time,
} from "./schema.ts";

const addressFields = {
  first_name: string(),
  last_name: string(),
  street1: string(),
  street2: nullable(string()),
  city: string(),
  state: string({ pattern: "^[A-Z]{2}$", examples: ["CA"] }),
  zip: string({ pattern: "^[0-9]{5}(-[0-9]{4})?$", examples: ["94103"] }),
  phone: nullable(string()),
};

export const Address = named("Address", object(addressFields));
export type Address = Static<typeof Address>;

export const PatientAddress = named(
  "PatientAddress",
  object({
    address_id: integer(),
    ...addressFields,
    default: boolean("Used if neither the order nor the prescription has an address."),
  }),
);
export type PatientAddress = Static<typeof PatientAddress>;

/** The API never returns the full number. */
export const IdentityDocument = named(
  "IdentityDocument",
  object({
    id: integer(),
    type: oneOf(documentTypes),
    issuing_country: string({ pattern: "^[A-Z]{2}$", examples: ["US"] }),
    issuing_state: nullable(string({ pattern: "^[A-Z]{2}$", examples: ["CA"] })),
    number: string({ description: "Masked except for its last 4 characters.", examples: ["****1234"] }),
    expiration_date: date(),
  }),
);
export type IdentityDocument = Static<typeof IdentityDocument>;

export const SafetyEntry = named(
  "SafetyEntry",
  object({
    entry_id: integer("Identifies the entry within the patient."),
    kind: oneOf(safetyKindNames),
    text: string("As recorded."),
    source: oneOf(safetySources, "Who recorded it. You can remove entries of the `partner` only."),
    recorded_at: nullable(time("Null if an earlier version of the service recorded it.")),
  }),
);
export type SafetyEntry = Static<typeof SafetyEntry>;

const statusOf = (list: string) =>
  oneOf(
    safetyStatuses,
    `\`not_asked\`: no one has said anything. \`none_known\`: a person was asked and named none. \`listed\`: \`${list}\` names at least one.`,
  );

export const PatientSafety = named(
  "PatientSafety",
  object({
    medications: array(string(), "Other medications that the patient takes."),
    health_conditions: array(string()),
    allergies: array(string()),
    allergies_status: statusOf("allergies"),
    medications_status: statusOf("medications"),
    conditions_status: statusOf("health_conditions"),
    entries: array(SafetyEntry, "The texts of the three lists, each with its source."),
  }),
);
export type PatientSafety = Static<typeof PatientSafety>;
/** The part that the safety checks read, and that partners send. */
export type SafetyLists = Pick<PatientSafety, "medications" | "health_conditions" | "allergies">;

/** `patient_id` is the prescriber system's own if the e-prescription has a usable one. */
export const Patient = named(
  "Patient",
  object({
    patient_id,
    email: nullable(string({ format: "email" })),
    first_name: string(),
    last_name: string(),
    dob: date("Date of birth."),
    gender: nullable(oneOf(genders)),
    phone: nullable(string()),
    patient_safety: PatientSafety,
    addresses: array(PatientAddress),
    identity_documents: array(IdentityDocument),
    messaging: PatientMessaging,
    created_at: time(),
    updated_at: time(),
  }),
);
export type Patient = Static<typeof Patient>;

export const Shipment = named(
  "Shipment",
  object({
    tracking_no: string(),
    tracking_url: nullable(string({ format: "uri" })),
    carrier: string(),
    method: string(),
    status: oneOf(shipmentStatuses),
    shipped_at: time(),
    delivered_at: nullable(time()),
  }),
);
export type Shipment = Static<typeof Shipment>;

const dispenseFields = {
  dispense_id: integer(),
  order_number,
  order_status,
  ndc,
  quantity: integer("Packages."),
  package_size: number("Units in one package."),
  shipment: nullable(Shipment),
};
export const MedicationDispense = named("MedicationDispense", object(dispenseFields));
export type MedicationDispense = Static<typeof MedicationDispense>;

/** The verdict of a pharmacist on a doubtful prescription. */
export const acceptances = ["not_needed", "pending", "accepted", "rejected"] as const;
export type Acceptance = (typeof acceptances)[number];

const requestFields = {
  id: integer({ description: "The `prescription_id`.", examples: [183601] }),
  prescription_id: integer({ description: "The same as `id`.", examples: [183601] }),
  active: boolean("False once the prescriber canceled or replaced it. Expiry and use do not change it."),
  patient_id,
  prescriber_name: string(),
  prescriber_phone: nullable(string()),
  prescriber_fax: nullable(string()),
  receive_date: time("When the pharmacy received it."),
  expire_date: time("The first instant at which it can no longer be filled."),
  written_date: date(),
  effective_date: date("The first day on which it can be filled."),
  drug_name: string(),
  ndc: nullable(ndc),
  gcn: nullable(string()),
  sig_text: string(),
  written_qty: number(),
  days_supply: nullable(integer()),
  refills_left: integer("Whole fills left after the current one."),
  drug_schedule,
  daw: boolean("The prescriber forbids substitution."),
  acceptance: oneOf(
    acceptances,
    "Whether a pharmacist must accept it before it can be filled, and the verdict: `not_needed`, `pending`, `accepted` or `rejected`.",
  ),
  fillable: boolean(
    "Whether an order for one fill can be accepted now, as far as the prescription and its drug decide it.",
  ),
  not_fillable: array(
    object({ code: integer("The code that `POST /orders` would answer."), message: string() }),
    "Why it is not fillable. An order can also fail for other reasons, such as its address or a missing document.",
  ),
  order_errors: array(ErrorEntry, "Automatic Processing: why no order could be created from it."),
  medication_dispenses: array(MedicationDispense),
};
/**
 * A prescription. `refills_left = min(refills, floor(units_left / written_qty))`, where
 * `units_left = written_qty × (1 + refills) − units ordered and not canceled`.
 */
export const MedicationRequest = named("MedicationRequest", object(requestFields, { optional: ["order_errors"] }));
export type MedicationRequest = Static<typeof MedicationRequest>;
/** What does not depend on the time, the catalogue and the orders. */
export type ReceivedPrescription = Omit<MedicationRequest, "fillable" | "not_fillable" | "medication_dispenses">;

export const OrderActionRef = named(
  "OrderActionRef",
  object({ event_key: oneOf(actionKeys, "The value to send as `event`."), action: string("Human text.") }),
);

export const OrderException = named(
  "OrderException",
  object({
    id: oneOf(exceptionIds),
    name: string(),
    message: string(),
    raised_at: time(),
    order_actions: array(OrderActionRef, "The actions that can resolve it."),
  }),
);
export type OrderException = Static<typeof OrderException>;

export const OrderItem = named(
  "OrderItem",
  object({
    item_id: integer(),
    prescription_id: nullable(integer()),
    sku: nullable(string()),
    ndc: nullable(ndc),
    quantity: integer("Packages."),
    package_size: nullable(number("Units in one package.")),
    dispense_id: nullable(integer()),
  }),
);
export type OrderItem = Static<typeof OrderItem>;

export const Payment = named(
  "Payment",
  object({
    payer: oneOf(payers),
    status: oneOf(paymentStatuses),
    amount_cents: integer(),
    currency: string({ examples: ["USD"] }),
    refunded_cents: integer(),
  }),
);
export type Payment = Static<typeof Payment>;

const orderFields = {
  order_number,
  order_status,
  patient_id,
  brand_id: nullable(integer()),
  reference: nullable(string("The partner's own ID.")),
  workflow: oneOf(workflows),
  created_at: time(),
  updated_at: time(),
  shipping: object(
    {
      method_id: integer(),
      carrier: string(),
      signature_confirmation: boolean(),
      label: object({ format: oneOf(labelFormats), carrier: string(), tracking_no: string() }),
    },
    { optional: ["label"] },
  ),
  address: nullable(Address),
  items: array(OrderItem),
  medication_requests: array(MedicationRequest, "With the dispenses of this order."),
  shipments: array(Shipment),
  exception: nullable(OrderException),
  exceptions: array(OrderException, "All open exceptions. `exception` is the first."),
  payment: Payment,
};
export const Order = named("Order", object(orderFields));
export type Order = Static<typeof Order>;

const no_number = nullable(order_number);
const triedRequest = object(
  {
    ...requestFields,
    medication_dispenses: array(object({ ...dispenseFields, order_number: no_number })),
  },
  { optional: ["order_errors"] },
);
/** The order that a dry run would create: the same record, without a number. */
export const TriedOrder = named(
  "TriedOrder",
  object({ ...orderFields, order_number: no_number, medication_requests: array(triedRequest) }),
);
export type TriedOrder = Static<typeof TriedOrder>;

/** The order costs no more than this for 15 minutes. */
export const Quote = named(
  "Quote",
  object({
    items: array(
      object({
        item_id: integer(),
        price_cents: integer("Price of all packages of the item."),
        in_stock: boolean("The whole item is in stock now."),
      }),
    ),
    shipping_cents: integer("Price of the shipping method."),
    total_cents: integer("The items and shipping."),
    currency: string({ examples: ["USD"] }),
    ships_by: nullable(
      date(
        "The pharmacy ships on this day at the latest. Null if an item is out of stock or an exception would hold the order.",
      ),
    ),
    arrives_by: nullable(date("The parcel arrives on this day at the latest. Null if `ships_by` is.")),
  }),
);
export type Quote = Static<typeof Quote>;

/** One row per change. `from` is null for the creation. */
export const HistoryEntry = named(
  "HistoryEntry",
  object({
    at: time(),
    actor: string("Who made the change: a role, never a person's name."),
    event: oneOf([...new Set(transitions.map((row) => row.event))] as [TransitionEvent, ...TransitionEvent[]]),
    from: nullable(order_status),
    to: order_status,
    exception_id: nullable(oneOf(exceptionIds)),
    request_id: nullable(
      string("The `X-Request-Id` of your request that caused the row. Null if no request of yours did."),
    ),
  }),
);
export type HistoryEntry = Static<typeof HistoryEntry>;

/** An action request. The response to it has the order right after the action; the list has the current order. */
export const ActionRequest = named(
  "ActionRequest",
  object({
    id: integer(),
    event: oneOf(actionKeys),
    order_number,
    reason_id: nullable(integer()),
    created_at: time(),
    order: Order,
  }),
);
export type ActionRequest = Static<typeof ActionRequest>;
