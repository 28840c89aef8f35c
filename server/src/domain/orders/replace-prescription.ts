import type { ExceptionId } from "@pestle/contract";
import { hasLapsed } from "../fulfillment/controlled-rules.ts";
import type { Problem } from "../values/refusals.ts";
import type { ActionCase } from "./order-actions.ts";
import { holdFactsOf, type Outcome, withUnits } from "./order-change.ts";
import { hasExpired, isFillable } from "./order-facts.ts";
import { isCause } from "./order-holds.ts";
import { exact, isOtherMedication, writtenProduct } from "./resolve-items.ts";

/** Fills another prescription, for the first affected item with the same medication. */
export function replacePrescription(
  { changing, rules, prescription }: Pick<ActionCase, "changing" | "rules" | "prescription">,
  target: ExceptionId,
): { problems: Problem[] } | { outcome: Outcome } {
  const field = "prescription_id";
  const own = prescription?.patient_id === changing.order.patient_id;
  if (prescription === null || !own || !isFillable(prescription, rules)) {
    return { problems: [{ code: 42249, field }] };
  }
  const { order, details, holds, prescriptions } = changing;
  const by_hand = holds.some(({ id, basis }) => id === target && basis === null);
  const { items } = holdFactsOf(changing, rules).facts;
  const written_product = writtenProduct(prescription, rules.formulary);
  const asked = order.items.filter((_, index) => by_hand || isCause(target, items[index]!));
  const item = asked
    .filter(({ needs_prescription }) => needs_prescription)
    .find(({ sku }) => {
      const product = rules.formulary.by_sku.get(sku) ?? null;
      return (
        product !== null && written_product !== null && !isOtherMedication(product, { prescription, written_product })
      );
    });
  const problems: Problem[] = [];
  const product = item === undefined ? null : (rules.formulary.by_sku.get(item.sku) ?? null);
  if (hasExpired(prescription, product, rules) || hasLapsed(prescription, rules)) problems.push({ code: 42257, field });
  if (item === undefined) problems.push({ code: 42258, field });
  const left = exact(prescription.written_qty * (1 + prescription.refills) - prescription.units_ordered);
  const units = details.find(({ item_id }) => item_id === item?.item_id)?.units ?? 0;
  if (left <= 0) problems.push({ code: 42250, field });
  else if (units > left) problems.push({ code: 42255, field });
  // The current prescription is not a replacement.
  if (item?.prescription_id === prescription.prescription_id) problems.push({ code: 42249, field });
  if (item === undefined || problems.length > 0) {
    return { problems: problems.sort((a, b) => a.code - b.code) };
  }
  const { prescription_id } = prescription;
  const before = item.prescription_id;
  const after_items = order.items.map((one) => (one === item ? { ...one, prescription_id } : one));
  const wanted = new Set(after_items.map((one) => one.prescription_id));
  const known = prescriptions.some((one) => one.prescription_id === prescription_id);
  const moved: [number, number][] = [
    [prescription_id, units],
    ...(before === null ? [] : [[before, -units] as [number, number]]),
  ];
  return {
    outcome: {
      otherwise: "replace_prescription",
      from_prescriber: true,
      ends: [target],
      after: {
        order: { ...order, items: after_items },
        prescriptions: withUnits(known ? prescriptions : [...prescriptions, prescription], moved)
          .filter((one) => wanted.has(one.prescription_id))
          .sort((a, b) => a.prescription_id - b.prescription_id),
      },
      items: [{ item_id: item.item_id, prescription_id }],
      units: moved.map(([id, count]) => ({
        prescription_id: id,
        units: count,
        known_units_ordered: count > 0 ? prescription.units_ordered : null,
      })),
    },
  };
}
