import type { Formulary, FormularyProduct } from "../catalogue/formulary.ts";
import type { PatientRecord } from "../patients/patient-record.ts";
import type { Problem } from "../values/refusals.ts";
import type { FillRules } from "./fillability.ts";
import { oneFill } from "./item-draft.ts";
import { checkOrder } from "./order-checks.ts";
import type { OrderDraft } from "./order-draft.ts";
import type { PrescriptionFact, ShipTo } from "./order-facts.ts";
import { resolveItem, writtenProduct } from "./resolve-items.ts";

type Written = Pick<PrescriptionFact, "prescription_id" | "ndc" | "gcn">;

/** The body of the order that Automatic Processing places for a prescription. */
export const automaticOrder = (prescription: Written, patient_id: string, formulary: Formulary) => ({
  shipping: { method_id: automaticMethod(writtenProduct(prescription, formulary), formulary) },
  patient: { patient_id },
  items: [{ prescription_id: prescription.prescription_id }],
});

/**
 * The account's default shipping method if the product allows it, else the cheapest one that it allows. A product that
 * needs a cold chain gets a method that has one, if it allows any.
 */
function automaticMethod(product: FormularyProduct | null, formulary: Formulary): number | null {
  const { methods, default_method_id } = formulary;
  if (product === null) return default_method_id;
  const allowed = product.shipping_method_ids.flatMap((id) => methods.get(id) ?? []);
  const cold = allowed.filter(({ cold_chain }) => cold_chain);
  const fitting = product.cold_chain && cold.length > 0 ? cold : allowed;
  if (fitting.some(({ id }) => id === default_method_id)) return default_method_id;
  const [cheapest] = fitting.sort((a, b) => a.price_cents - b.price_cents || a.id - b.id);
  return cheapest?.id ?? default_method_id;
}

/** Why Automatic Processing would not place the order now: the problems of `POST /orders` with the same body. */
export function automaticProblems(given: {
  prescription: PrescriptionFact;
  record: PatientRecord;
  rules: FillRules;
  account_id: string;
  available_units: number;
  ship_to: ShipTo;
}): Problem[] {
  const { prescription, record, rules, account_id, available_units, ship_to } = given;
  const { prescription_id, patient_id } = prescription;
  const patient = { patient_id, record };
  const prescriptions = new Map([[prescription_id, prescription]]);
  const { shipping } = automaticOrder(prescription, patient_id, rules.formulary);
  const item = resolveItem({ ...oneFill, prescription_id }, { patient, prescriptions, formulary: rules.formulary });
  return checkOrder({
    ...rules,
    draft: {
      ...bareDraft,
      shipping: { ...bareDraft.shipping, ...shipping },
      patient: { ...bareDraft.patient, patient_id },
      items: [item.draft],
    },
    account: { account_id, workflow: "automatic", custom_labels: false },
    patient,
    prescriptions,
    stock: new Map(item.product === null ? [] : [[item.product.sku, available_units]]),
    ship_to,
    items: [item],
  });
}

/** An order body with nothing in it. */
const bareDraft: Omit<OrderDraft, "items"> = {
  brand_id: null,
  reference: null,
  shipping: { method_id: null, signature_confirmation: false, label: null },
  patient: {
    patient_id: null,
    contact: {},
    dob: null,
    patient_safety: {},
    identity_documents: [],
    document_refused: false,
  },
  address: "absent",
  sent_state: null,
  payment: { payer: "partner", token: null },
};
