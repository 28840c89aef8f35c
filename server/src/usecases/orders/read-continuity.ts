import type { ContinuityEntry } from "@pestle/contract";
import { listSupplies, type SupplyPosition, type SupplyRow } from "../../db/orders/continuity.ts";
import type { Deps } from "../../deps.ts";
import { continuityEntry } from "../../domain/orders/continuity.ts";
import type { PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { openPatientId } from "../patients/patient-rows.ts";
import { fillRules } from "./read-orders.ts";

/** A patient who ran out earlier has stopped the treatment, as far as the forecast knows. */
const LAPSED_DAYS = 30;

export type ForecastEntry = ContinuityEntry & { position: SupplyPosition };

/** Who runs out of what, the earliest first, and whether more follows. One statement. */
export function readContinuity(
  deps: Deps,
  account_id: string,
  within_days: number,
  after: SupplyPosition,
  limit: number,
): Promise<{ entries: ForecastEntry[]; more: boolean }> {
  return withKeysOfNow(deps, async () => {
    const { formulary } = await readCatalogue(deps, account_id);
    const asked = { now: deps.now(), lapsed_days: LAPSED_DAYS, within_days, after, most: limit + 1 };
    const rows = await listSupplies(deps.db, account_id, asked);
    const rules = fillRules(deps, formulary, rows[0]?.clock_offset_s ?? 0);
    const entries = rows.slice(0, limit).map((row) => {
      const { supply_ends_at, order_number, item_id } = row;
      const position = { supply_ends_at, order_number, item_id };
      return { ...continuityEntry(supplyOf(deps, account_id, row), row.workflow, rules), position };
    });
    return { entries, more: rows.length > limit };
  });
}

function supplyOf(deps: Deps, account_id: string, row: SupplyRow) {
  const { supply_ends_at, sku, ship_state, schedule, open_order } = row;
  const patient_id = openPatientId(deps, account_id, row);
  // The checks read no other field.
  const prescription = { ...row.prescription, patient_id, expires_at: new Date(row.prescription.expires_at) };
  return {
    patient_id,
    sku,
    supply_ends_at,
    ship_state,
    schedule,
    open_order,
    prescription: prescription as PrescriptionFact,
  };
}
