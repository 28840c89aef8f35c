import type { Address, ErrorEntry } from "@pestle/contract";
import { loadAvailableUnits } from "../../db/catalogue/stock.ts";
import type { Receiver } from "../../db/intake/messages.ts";
import type { Deps } from "../../deps.ts";
import type { IntakeDecision } from "../../domain/intake/decide-intake.ts";
import type { IncomingPrescription } from "../../domain/intake/incoming-message.ts";
import { automaticProblems } from "../../domain/orders/automatic-order.ts";
import type { FillRules } from "../../domain/orders/fillability.ts";
import { writtenProduct } from "../../domain/orders/resolve-items.ts";
import { shipTo } from "../../domain/orders/ship-to.ts";
import { errorEntries } from "../../domain/values/error-entries.ts";
import { newFact } from "./intake-changes.ts";

/**
 * Why Automatic Processing cannot turn a new prescription into an order at once. The event and the prescription show it
 * from the start, so that they agree.
 */
export async function expectedOrderErrors(
  deps: Pick<Deps, "db"> & Partial<Pick<Deps, "address_validators">>,
  { account_id, environment }: Pick<Receiver, "account_id" | "environment">,
  decision: IntakeDecision,
  incoming: IncomingPrescription | null,
  prescription_id: number,
  rules: FillRules,
): Promise<ErrorEntry[]> {
  const { patient, prescription: made } = decision;
  if (patient === null || made?.order_due_at == null || made.order_due_at > rules.now) return [];
  // It may take the place of the replaced one on an order that waits for it.
  if (made.replaces_prescription_id !== null) return [];
  const prescription = newFact(decision, prescription_id);
  const product = writtenProduct(prescription, rules.formulary);
  const counts = product !== null && !product.back_orders;
  const { record } = patient;
  const written = { address: incoming?.patient?.address ?? null, phone: incoming?.patient?.phone ?? null };
  const validate = (address: Address) => {
    const validator = deps.address_validators?.[environment];
    // A provider checks the address when the order exists.
    const verdict = validator?.byTables?.(address) ?? validator?.validate(address) ?? null;
    return verdict instanceof Promise ? null : verdict;
  };
  const problems = automaticProblems({
    prescription,
    record,
    rules,
    account_id,
    available_units: counts ? await loadAvailableUnits(deps.db, account_id, product.sku) : Number.POSITIVE_INFINITY,
    ship_to: shipTo({ address: "absent" }, null, { prescriptions: [written], patient: record }, validate),
  });
  return errorEntries(problems);
}
