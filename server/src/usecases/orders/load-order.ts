import type { Environment, ExceptionId } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import { type ChangingRow, loadForChange } from "../../db/orders/load-for-change.ts";
import type { FillRow } from "../../db/orders/place-order.ts";
import type { Deps } from "../../deps.ts";
import type { ChangeRules, ChangingOrder, ChangingPrescription } from "../../domain/orders/order-change.ts";
import type { Fill } from "../../domain/orders/order-facts.ts";
import { unavailableFinding } from "../../domain/safety/finding.ts";
import { DRIFT_DAYS, daysDispensed } from "../../domain/safety/refill-findings.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { SHIP_TO_NAME_CHARACTERS } from "../../domain/values/address/address-holds.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { openRecord } from "../patients/patient-rows.ts";
import { openOrder } from "./read-orders.ts";

/**
 * The history that the safety checks need: a year for refills that come early again and again. No table has a washout that
 * is longer.
 */
export const LONGEST_HISTORY_MS = DRIFT_DAYS * 24 * 3600 * 1000;

export const fillOf = ({ shipped_at, units, written_qty, ...fill }: FillRow): Fill => ({
  ...fill,
  days_supply: daysDispensed({ days_supply: fill.days_supply, units, written_qty }),
  shipped_at: shipped_at === null ? null : new Date(shipped_at),
});

/** An unsealed order with all facts and rules needed to decide a change. */
export type LoadedOrder = ChangingOrder & {
  account_id: string;
  environment: Environment;
  revision: number;
  patient_revision: number;
  row: Pick<ChangingRow, "payment_reference" | "payment_attempt" | "filled_by" | "claimed_by" | "claimed_until"> &
    Pick<ChangingRow, "last_shipment" | "label_tracking_no" | "clock_offset_s">;
  payment_token: () => string;
  custom_label: () => Buffer | null;
  rules: ChangeRules & { time_zone: string };
};

/** Loads with one statement. Returns 404 for an unknown order or another account's order. */
export async function loadChangingOrder(
  deps: Deps,
  db: Database,
  account_id: string,
  order_number: string,
): Promise<LoadedOrder> {
  const real_now = deps.now();
  const taken_since = new Date(real_now.getTime() - LONGEST_HISTORY_MS);
  const row = await loadForChange(db, account_id, order_number, taken_since);
  if (row === undefined) throw new StatusRefusal(404);
  const { formulary } = await readCatalogue(deps, account_id, db);
  const now = accountNow(real_now, row.clock_offset_s);
  const opened = openOrder(deps, account_id, row);
  return {
    account_id,
    environment: row.environment,
    order: opened.order,
    standing: opened.standing,
    prescriptions: opened.prescriptions as ChangingPrescription[],
    revision: row.revision,
    record: openRecord(deps, account_id, row.patient_id, Buffer.from(row.patient.record_sealed, "base64")),
    patient_revision: row.patient.revision,
    details: row.details,
    holds: row.holds,
    confirmed: new Map(row.confirmed.map(({ id, confirmed }): [ExceptionId, string] => [id, confirmed])),
    fills: row.fills.map(fillOf),
    row,
    payment_token: opened.payment_token,
    custom_label: opened.custom_label(row.custom_label_sealed),
    rules: {
      formulary,
      safety: deps.safety.current(),
      time_zone: deps.config.TIME_ZONE,
      today: dateIn(deps.config.TIME_ZONE, now),
      now,
      name_characters: SHIP_TO_NAME_CHARACTERS,
      blind: (basis) => blindBasis(deps, account_id, order_number, basis),
    },
  };
}

const UNCHECKED = unavailableFinding().key;

/**
 * Stores the cause of an exception as a blind index: enough to recognize it again without naming patient or drug.
 * "Could not be checked" names neither and stays readable, so that `recheckUnchecked` can search for it.
 */
export function blindBasis(deps: Pick<Deps, "vault">, account_id: string, order_number: string, basis: string): string {
  if (basis === UNCHECKED) return basis;
  return deps.vault.blindIndex(basis, `order_exception.basis ${account_id} ${order_number}`).toString("hex");
}
