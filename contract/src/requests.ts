import { type ActionField, type ActionKey, actionKeys, actions, orderStatusReasons } from "./actions.ts";
import { exceptionIds } from "./exceptions.ts";
import {
  CITY_MOST_CHARACTERS,
  documentTypes,
  genders,
  labelFormats,
  PATIENT_ID_PATTERN,
  payers,
  SAFETY_TEXT_CHARACTERS,
  STREET_MOST_CHARACTERS,
} from "./fields.ts";
import { MessagingInput } from "./practice/patient-notices.ts";
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
  partial,
  type Schema,
  type Static,
  string,
} from "./schema.ts";

/*
 * Request bodies, one row per field: its name, type and limits, the code that rejects it, and its meaning. The server
 * reads bodies with these rows (`readBody`), so the OpenAPI document and the SDK's types match what it accepts.
 */

const LONGEST_LINE = 255;
const line = { kind: "line", maxLength: LONGEST_LINE } as const;
const street = { kind: "street", maxLength: STREET_MOST_CHARACTERS } as const;

const addressFields = {
  first_name: string({ code: 42221, kind: "person_name" }),
  last_name: string({ code: 42222, kind: "person_name" }),
  street1: string({ code: 42223, ...street }),
  street2: nullable(string({ ...street, kind: "street_or_blank" })),
  city: string({ code: 42225, kind: "city", maxLength: CITY_MOST_CHARACTERS }),
  state: string({ code: 42226, kind: "state", description: "2-character state code." }),
  zip: string({ code: 42227, kind: "zip", description: "5 or 9 digits." }),
  phone: nullable(string({ kind: "phone_or_blank", description: "North American." })),
  accept_suggested: boolean("Use the suggested address if there is one."),
  ignore_warnings: boolean("Use the address as entered although it failed validation."),
};
const addressOptional = ["street2", "phone", "accept_suggested", "ignore_warnings"] as const;

export const AddressInput = named("AddressInput", closed(addressFields, { code: 42230, optional: addressOptional }));
export type AddressInput = Static<typeof AddressInput>;

/** `POST /patients/{patient_id}/shipping_address`. */
export const ShippingAddressInput = named(
  "ShippingAddressInput",
  closed(
    {
      ...addressFields,
      default: boolean("Make it the patient's default address. The first address always is."),
    },
    { code: 42230, optional: [...addressOptional, "default"] },
  ),
);
export type ShippingAddressInput = Static<typeof ShippingAddressInput>;

export const IdentityDocumentInput = named(
  "IdentityDocumentInput",
  closed(
    {
      type: oneOf(documentTypes, { code: 42216 }),
      issuing_country: string({ code: 42217, kind: "country", description: "2-character country code." }),
      issuing_state: nullable(
        string({
          code: 42218,
          kind: "two_letters",
          description: "2-character state code. Required for `DL` and `SI`.",
        }),
      ),
      number: string({ code: 42219, kind: "document_number", description: "1 to 30 letters, digits and dashes." }),
      expiration_date: date({ code: 42220, description: "Must be in the future." }),
    },
    { optional: ["issuing_state"] },
  ),
);
export type IdentityDocumentInput = Static<typeof IdentityDocumentInput>;

const safetyText = { kind: "trimmed_line", maxLength: SAFETY_TEXT_CHARACTERS } as const;
export const safetyList = array(string(safetyText), { maxItems: 100 });
export const PatientSafetyInput = named(
  "PatientSafetyInput",
  partial({ medications: safetyList, health_conditions: safetyList, allergies: safetyList }),
);

const reason = string({
  ...safetyText,
  description: "Why the entry is wrong or no longer true. The pharmacist sees it.",
});
/** `DELETE /patients/{patient_id}/patient_safety/{entry_id}`. */
export const SafetyEntryRemoval = named("SafetyEntryRemoval", partial({ reason }));
export type SafetyEntryRemoval = Static<typeof SafetyEntryRemoval>;

export const PRESCRIBER_MOST_CHARACTERS = 120;
export const EMAIL_MOST_CHARACTERS = 254;
const email = string({ code: 42201, kind: "email", maxLength: EMAIL_MOST_CHARACTERS });
const phone = string({ code: 42204, kind: "phone" });
const gender = oneOf(genders, { code: 42205 });

export const PatientUpdate = named(
  "PatientUpdate",
  partial({ email, phone, gender, patient_safety: PatientSafetyInput, messaging: MessagingInput }),
);
export type PatientUpdate = Static<typeof PatientUpdate>;

/** No product offers more than these limits, and sums below them stay exact. */
const units = { decimals: 3, exclusiveMinimum: 0, maximum: 1_000_000 } as const;

export const OrderItemInput = named(
  "OrderItemInput",
  partial({
    prescription_id: integer({
      code: 42249,
      minimum: 1,
      description: "Required for every item that needs a prescription.",
    }),
    sku: string({ code: 42254, ...line }),
    ndc: string({ code: 42241, kind: "ndc", maxLength: 20 }),
    gcn: string({ code: 42246, ...line }),
    product_selection: string({ code: 42260, ...line, description: "A product's `sku` or `name`." }),
    quantity: integer({ code: 42242, minimum: 1, maximum: 1_000, description: "Packages.", default: 1 }),
    package_size: number({
      code: 42247,
      ...units,
      description: "Units in one package. Without it the item is one fill as prescribed.",
    }),
    written_qty: number({ code: 42259, ...units }),
    prescriber_name: string({ code: 42243, kind: "prescriber_name", maxLength: PRESCRIBER_MOST_CHARACTERS }),
    prescriber_phone: string({ code: 42244, kind: "prescriber_phone", maxLength: 40 }),
    prescriber_fax: string({ code: 42245, kind: "prescriber_phone", maxLength: 40 }),
  }),
);
export type OrderItemInput = Static<typeof OrderItemInput>;

const ShippingInput = named(
  "ShippingInput",
  closed(
    {
      method_id: integer({ code: 42291, minimum: 1, description: "From `GET /shipping_methods`." }),
      signature_confirmation: boolean({ code: 42292 }),
      label: closed(
        {
          format: oneOf(labelFormats, { code: 42294 }),
          data: string({ code: 42296, description: "Base64." }),
          carrier: string(line),
          tracking_no: string(line),
        },
        { optional: ["carrier", "tracking_no"] },
      ),
    },
    { optional: ["signature_confirmation", "label"] },
  ),
);

export const OrderPatientInput = named(
  "OrderPatientInput",
  closed(
    {
      patient_id: string({ code: 42206, pattern: PATIENT_ID_PATTERN, description: "From the `RX_RECEIVED` webhook." }),
      email,
      first_name: string({ code: 42202, kind: "person_name" }),
      last_name: string({ code: 42203, kind: "person_name" }),
      dob: date(),
      gender,
      phone,
      patient_safety: PatientSafetyInput,
      identity_documents: array(IdentityDocumentInput, {
        code: 42208,
        maxItems: 20,
        description: "Required for controlled substances unless one is on file.",
      }),
    },
    {
      optional: ["email", "first_name", "last_name", "dob", "gender", "phone", "patient_safety", "identity_documents"],
    },
  ),
);

export const PaymentInput = named(
  "PaymentInput",
  partial({
    payer: oneOf(payers, { default: "partner" }),
    token: string({ ...line, description: "Required if the patient pays." }),
  }),
);

const orderFields = {
  brand_id: integer({ code: 42380, minimum: 1, description: "From `GET /brands`." }),
  reference: string({ ...line, description: "The partner's own ID, returned with the order." }),
  shipping: ShippingInput,
  patient: OrderPatientInput,
  address: AddressInput,
  items: array(OrderItemInput, { minItems: 1, maxItems: 50 }),
  payment: PaymentInput,
};

/** `POST /orders`. */
export const OrderRequest = named(
  "OrderRequest",
  closed(orderFields, { optional: ["brand_id", "reference", "address", "payment"] }),
);
export type OrderRequest = Static<typeof OrderRequest>;

/** `POST /orders/{order_number}/reorders`: omitted fields are copied from the earlier order. */
export const ReorderRequest = named("ReorderRequest", partial(orderFields));
export type ReorderRequest = Static<typeof ReorderRequest>;

/** The database columns have 32 bits. */
const count = { minimum: 1, maximum: 2_147_483_647 } as const;

const actionFields = {
  event: oneOf(actionKeys, { code: 42461 }),
  exception_id: oneOf(exceptionIds, "Without it: the first open exception that offers the event."),
  reason_id: integer({ code: 42430, enum: orderStatusReasons.map(({ id }) => id) }),
  amount_cents: integer(count),
  email,
  address: AddressInput,
  prescription_id: integer({ code: 42249, ...count }),
  dob: date(),
  item_id: integer(count),
  token: string(line),
};
type ActionFieldName = Exclude<keyof typeof actionFields, "event">;

/** `POST /orders/{order_number}/partner_order_action_requests`. `actions` lists the fields of each event. */
export const ActionRequestInput = named(
  "ActionRequestInput",
  closed(actionFields, {
    optional: Object.keys(actionFields).filter((name) => name !== "event") as ActionFieldName[],
  }),
);
export type ActionRequestInput = Static<typeof ActionRequestInput>;

/** The same for one event, which takes only its own fields. */
export const actionBody = (event: ActionKey): Schema<Partial<ActionRequestInput>> => {
  const fields = actions[event].fields as readonly (ActionField & { readonly name: ActionFieldName })[];
  const taken = Object.fromEntries(fields.map(({ name }) => [name, actionFields[name]]));
  const optional = fields.filter(({ required }) => !required).map(({ name }) => name);
  const { exception_id } = actionFields;
  const rows = { event: oneOf([event]), exception_id, ...taken } as typeof actionFields;
  return closed(rows, { optional: ["exception_id", ...optional] });
};
