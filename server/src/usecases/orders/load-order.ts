import type { Environment } from "@pestle/contract";
import type { Database } from "../../db/db.ts";
import { type ChangingRow, loadForChange } from "../../db/orders/load-for-change.ts";
import { orderPlace } from "../../db/orders/orders.ts";
import type { Deps } from "../../deps.ts";
import type { ChangeRules, ChangingOrder, ChangingPrescription } from "../../domain/orders/order-change.ts";
import { confirmedBases } from "../../domain/orders/order-holds.ts";
import { type SafetyFinding, UNCHECKED } from "../../domain/safety/finding.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { SHIP_TO_NAME_CHARACTERS } from "../../domain/values/address/address-holds.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import type { Seen } from "../operations/audit-partner.ts";
import { openRecord } from "../patients/patient-rows.ts";
import { loadElsewhere } from "../safety/load-elsewhere.ts";
import { fillOf, LONGEST_HISTORY_MS } from "./patient-fills.ts";
import { openOrder } from "./read-orders.ts";

/** An unsealed order with all facts and rules needed to decide a change. */
export type LoadedOrder = ChangingOrder & {
  account_id: string;
  environment: Environment;
  revision: number;
  patient_revision: number;
  row: Pick<
    ChangingRow,
    "patient_key" | "payment_reference" | "payment_attempt" | "filled_by" | "claimed_by" | "claimed_until"
  > &
    Pick<ChangingRow, "last_shipment" | "label_tracking_no" | "clock_offset_s">;
  payment_token: () => string;
  custom_label: () => Buffer | null;
  rules: ChangeRules & { time_zone: string };
};

/**
 * Loads with one statement. Returns 404 for an unknown order or another account's order. With "elsewhere", a second statement
 * loads what other partners know about the person, for the pharmacy's steps and the job; otherwise the findings that the job
 * made from it stay.
 */
export async function loadChangingOrder(
  deps: Deps,
  db: Database,
  account_id: string,
  order_number: string,
  facts: "own" | "elsewhere" = "own",
): Promise<LoadedOrder> {
  const real_now = deps.now();
  const taken_since = new Date(real_now.getTime() - LONGEST_HISTORY_MS);
  const row = await loadForChange(db, account_id, order_number, taken_since);
  if (row === undefined) throw new StatusRefusal(404);
  const { formulary } = await readCatalogue(deps, account_id, db);
  const now = accountNow(real_now, row.clock_offset_s);
  const opened = openOrder(deps, account_id, row);
  const found = openFindings(deps, account_id, row);
  const { patient_key, clock_offset_s } = row;
  return {
    account_id,
    environment: row.environment,
    order: opened.order,
    standing: opened.standing,
    prescriptions: (opened.prescriptions as ChangingPrescription[]).map((one) => ({
      ...one,
      partial: row.partials.find(({ prescription_id }) => prescription_id === one.prescription_id)?.partial ?? null,
    })),
    revision: row.revision,
    record: openRecord(deps, account_id, patient_key, Buffer.from(row.patient.record_sealed, "base64")),
    patient_revision: row.patient.revision,
    details: row.details,
    holds: row.holds,
    confirmed: confirmedBases(row.confirmed.map(({ id, confirmed }) => [id, confirmed])),
    fills: row.fills.map(fillOf),
    found,
    elsewhere:
      facts === "elsewhere"
        ? { people: await loadElsewhere(deps, db, { account_id, patient_key, clock_offset_s }, real_now) }
        : { found: found.filter(({ elsewhere }) => elsewhere !== undefined) },
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

/** The findings when the checks last ran. */
function openFindings(
  deps: Pick<Deps, "vault">,
  account_id: string,
  { order_number, safety_sealed }: ChangingRow,
): SafetyFinding[] {
  if (safety_sealed === null) return [];
  const opened = deps.vault.open(safety_sealed, orderPlace("safety_sealed", account_id, order_number));
  return JSON.parse(opened.toString("utf8")) as SafetyFinding[];
}

/**
 * Stores the cause of an exception as a blind index: enough to recognize it again without naming patient or drug.
 * "Could not be checked" names neither and stays readable, so that `recheckUnchecked` can search for it.
 */
export function blindBasis(deps: Pick<Deps, "vault">, account_id: string, order_number: string, basis: string): string {
  if (basis === UNCHECKED) return basis;
  return deps.vault.layeredIndex(basis, `order_exception.basis ${account_id} ${order_number}`).toString("hex");
}

/** The order and its patient, for the audit log. */
export const seenIn = ({ order }: Pick<LoadedOrder, "order">): Seen => ({
  patients: [order.patient_id],
  subject: order.order_number,
});
