import { type MedicationRequest, messageOf, type Workflow } from "@pestle/contract";
import type { Formulary } from "../catalogue/formulary.ts";
import { PARTIAL_FILL_MS } from "../fulfillment/controlled-rules.ts";
import { addDays, startOfDay } from "../values/calendar.ts";
import { oneFill } from "./item-draft.ts";
import { prescriptionProblems } from "./order-checks.ts";
import type { PrescriptionFact } from "./order-facts.ts";
import { resolveItem } from "./resolve-items.ts";

/** What decides, besides the prescription, whether it can be filled. */
export type FillRules = { formulary: Formulary; time_zone: string; now: Date; today: string };

type Fillability = Pick<MedicationRequest, "fillable" | "not_fillable">;

/** Whether an order for one fill as written could be accepted now, by the checks of `POST /orders` themselves. */
export function fillability(
  prescription: PrescriptionFact,
  workflow: Workflow,
  { formulary, ...time }: FillRules,
): Fillability {
  const { prescription_id } = prescription;
  const prescriptions = new Map([[prescription_id, prescription]]);
  const item = resolveItem({ ...oneFill, prescription_id }, { patient: null, prescriptions, formulary });
  const { product } = item;
  const stock = new Map(
    product === null ? [] : [[product.sku, product.in_stock === false ? 0 : Number.POSITIVE_INFINITY]],
  );
  const codes = prescriptionProblems(item, { ...time, stock, account: { workflow } });
  return { fillable: codes.length === 0, not_fillable: codes.map((code) => ({ code, message: messageOf(code) })) };
}

/** The next moment at which time alone can change the answer: all dates count by the day, and some rules by the hour. */
export function fillabilityLasts(
  prescriptions: readonly Pick<PrescriptionFact, "expires_at" | "partial">[],
  { time_zone, now, today }: Pick<FillRules, "time_zone" | "now" | "today">,
): number {
  const tomorrow = startOfDay(time_zone, addDays(today, 1)).getTime();
  const moments = prescriptions.flatMap(({ expires_at, partial }) => [
    expires_at.getTime(),
    ...(partial?.first_filled_at == null ? [] : [Date.parse(partial.first_filled_at) + PARTIAL_FILL_MS]),
  ]);
  return Math.min(tomorrow, ...moments.filter((moment) => moment > now.getTime()));
}
