import type { ErrorEntry, MedicationRequest, PrescriptionChange } from "@pestle/contract";
import type { PrescriptionFacts } from "../intake/medication-request.ts";
import { refillsLeft } from "../intake/prescription.ts";
import type { FillRules } from "../orders/fillability.ts";
import { medicationRequests, type StoredOrder } from "../orders/order-answer.ts";
import { canonicalJson } from "../values/canonical-json.ts";
import { exact } from "../values/quantity-units.ts";
import { type MadeEvent, madeEvent } from "./made-event.ts";

/** The event about a change of a prescription, with the prescription after it. */
export function rxStatusChanged(
  change: PrescriptionChange,
  request: MedicationRequest,
  now: Date,
  event_id: string,
): MadeEvent {
  const { patient_id, order_errors = [] } = request;
  const fields = { patient_id, change, medication_requests: [request], order_errors };
  return madeEvent("RX_STATUS_CHANGED", fields, now, event_id);
}

type Taken = { prescription_id: number | null; units: number };

/** The events about prescriptions whose last refill an order took. `prescriptions` include the taken units. */
export function lastRefills(
  order: StoredOrder,
  prescriptions: readonly PrescriptionFacts[],
  taken: readonly Taken[],
  rules: FillRules,
  event_id: () => string,
): MadeEvent[] {
  const used = prescriptions.filter((one) => tookLastRefill(one, unitsOf(one, taken)));
  if (used.length === 0) return [];
  return medicationRequests(order, used, rules).map((request) =>
    rxStatusChanged("last_refill", request, rules.now, event_id()),
  );
}

const unitsOf = ({ prescription_id }: PrescriptionFacts, taken: readonly Taken[]): number =>
  taken.filter((one) => one.prescription_id === prescription_id).reduce((sum, { units }) => sum + units, 0);

/** Whether these units took the last refill. A prescription without refills never had one. */
export function tookLastRefill(
  { written_qty, refills, units_ordered }: Pick<PrescriptionFacts, "written_qty" | "refills" | "units_ordered">,
  units: number,
): boolean {
  if (units <= 0 || refillsLeft({ written_qty, refills, units_ordered }) > 0) return false;
  return refillsLeft({ written_qty, refills, units_ordered: exact(units_ordered - units) }) > 0;
}

/** Whether the partner must learn why there is no order: the last event about the prescription had other errors. */
export const tellsOrderErrors = (told: readonly ErrorEntry[], found: readonly ErrorEntry[]): boolean =>
  canonicalJson(told) !== canonicalJson(found);

/**
 * The notice of a prescription that is due, and the time of the next one. The first notice is due before the
 * prescription expires, and the second one when it does. A rejected prescription needs none.
 */
export function expiryNotice({
  expiry_notice_at,
  expires_at,
  acceptance,
}: Pick<PrescriptionFacts, "expires_at" | "acceptance"> & { expiry_notice_at: Date }): {
  change: "expiring" | "expired" | null;
  next_at: Date | null;
} {
  if (acceptance === "rejected") return { change: null, next_at: null };
  return expiry_notice_at < expires_at
    ? { change: "expiring", next_at: expires_at }
    : { change: "expired", next_at: null };
}
