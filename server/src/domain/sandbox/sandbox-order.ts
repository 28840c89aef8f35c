import type { Formulary } from "../catalogue/formulary.ts";
import type { PrescriptionFact } from "../orders/order-facts.ts";
import type { SentFields } from "../values/unknown-fields.ts";

/**
 * Returns the minimal order body for a prescription: with the default shipping method, or the first that the product
 * allows, and an invented document if the law requires one. It gets the same checks as any order.
 */
export function sandboxOrder(
  {
    prescription_id,
    patient_id,
    ndc,
    gcn,
    drug_schedule,
  }: Pick<PrescriptionFact, "prescription_id" | "patient_id" | "ndc" | "gcn" | "drug_schedule">,
  { by_ndc, by_gcn, default_method_id, methods }: Formulary,
  today: string,
): SentFields {
  const product = (ndc === null ? undefined : by_ndc.get(ndc)) ?? (gcn === null ? undefined : by_gcn.get(gcn)?.[0]);
  const allowed = product?.shipping_method_ids ?? [...methods.keys()];
  const usual = default_method_id !== null && allowed.includes(default_method_id) ? default_method_id : allowed[0];
  const document = {
    type: "DL",
    issuing_country: "US",
    issuing_state: "CA",
    number: "D5550142",
    expiration_date: `${Number(today.slice(0, 4)) + 4}-01-31`,
  };
  return {
    shipping: { method_id: usual ?? null },
    patient: { patient_id, ...(drug_schedule === "0" ? {} : { identity_documents: [document] }) },
    items: [{ prescription_id }],
  };
}
