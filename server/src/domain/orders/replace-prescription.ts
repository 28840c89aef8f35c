import type { ExceptionId, HoldableState } from "@pestle/contract";
import { hasLapsed } from "../fulfillment/controlled-rules.ts";
import { exact } from "../values/quantity-units.ts";
import type { Problem } from "../values/refusals.ts";
import type { ActionCase } from "./order-actions.ts";
import { holdFactsOf, type Outcome, withUnits } from "./order-change.ts";
import { hasExpired, isFillable } from "./order-facts.ts";
import { isCause } from "./order-holds.ts";
import { isOtherMedication, writtenProduct } from "./resolve-items.ts";
import { takesPrescription } from "./situations.ts";

const REVIEW: HoldableState = "Processing/clinical_review";

/**
 * Fills another prescription, for the first affected item with the same medication. If a pharmacist approved the order
 * before, it returns to clinical review, because packages and labels can have the old directions. `by`: a partner's choice
 * ends no exception that only a pharmacist closes. A prescription that the prescriber sends for the order can.
 */
export function replacePrescription(
  { changing, rules, prescription }: Pick<ActionCase, "changing" | "rules" | "prescription">,
  target: ExceptionId,
  by: "partner" | "prescriber",
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
  const item = asked.filter(takesPrescription).find(({ sku }) => {
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
  const approved = changing.standing.held_from !== REVIEW;
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
      ...(by === "prescriber" && { from_prescriber: true as const }),
      ...(approved && { returns_to: REVIEW }),
      ends: [target],
      after: {
        order: { ...order, items: after_items },
        prescriptions: withUnits(known ? prescriptions : [...prescriptions, prescription], moved)
          .filter((one) => wanted.has(one.prescription_id))
          .sort((a, b) => a.prescription_id - b.prescription_id),
      },
      items: order.items.flatMap(({ item_id }) => {
        const own = item_id === item.item_id;
        return own || approved
          ? [{ item_id, ...(own && { prescription_id }), ...(approved && { lot: null, lot_expires_on: null }) }]
          : [];
      }),
      units: moved.map(([id, count]) => ({
        prescription_id: id,
        units: count,
        known_units_ordered: count > 0 ? prescription.units_ordered : null,
      })),
    },
  };
}
