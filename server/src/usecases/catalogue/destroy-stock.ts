import { loadSchedule } from "../../db/catalogue/stock-counts.ts";
import { loadShelvesWithLots } from "../../db/catalogue/stock-lots.ts";
import type { Database } from "../../db/db.ts";
import { findColleague } from "../../db/fulfillment/notifications.ts";
import { isLicensedPharmacist } from "../../domain/accounts/license.ts";
import { type Destruction, decideDestruction, lotRefusals } from "../../domain/catalogue/lot-moves.ts";
import type { Shelf } from "../../domain/catalogue/stock.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { accepted, moveOne } from "./move-stock.ts";

export type DestroyedStock = Destruction & { account_id: string; sku: string; witness_id: string | null };

/** Destroys units, and records who did so, who watched, and why. */
export const destroyStock = (
  { db, now }: { db: Database; now: () => Date },
  by: Looker & { license: string | null },
  given: DestroyedStock,
  request_id: string | null,
): Promise<Shelf> =>
  moveOne(db, given, now(), async (shelf, tx) => {
    const { account_id, sku, witness_id } = given;
    if (witness_id !== null && (await findColleague(tx, witness_id)) === undefined) {
      throw new AdminRefusal(lotRefusals.witness);
    }
    const product = await loadSchedule(tx, account_id, sku);
    const lots = (await loadShelvesWithLots(tx, account_id, [sku]))[0]?.lots ?? [];
    const people = { person_id: by.person_id, by_pharmacist: isLicensedPharmacist(by), witness_id };
    const is_controlled = product !== undefined && product.drug_schedule !== "0";
    const entry = accepted(decideDestruction(shelf, lots, given, people, is_controlled));
    await writeAudit({ db: tx, now }, by, { account_id, action: "stock_destroyed", subject: sku }, request_id);
    return entry;
  });
