import { environments, type RecallRequest } from "@pestle/contract";
import type { Queryable } from "../../../db/db.ts";
import { deleteQuarantine, insertQuarantine, isQuarantined } from "../../../db/fulfillment/recalls.ts";
import type { Deps } from "../../../deps.ts";
import { type Looker, writeAudit } from "../../operations/write-audit.ts";
import { transact } from "../../write.ts";
import { WorkRefusal } from "../work-refusal.ts";

/** Puts a recalled lot in quarantine, or ends it. No order is filled, checked or shipped from a lot in quarantine. */
export const quarantineLot = (
  deps: Deps,
  by: Looker,
  { lot, sku = "", environment }: RecallRequest,
  on: boolean,
  request_id: string,
): Promise<void> =>
  transact(deps, async (tx) => {
    const meant = environment === undefined ? environments : [environment];
    if (on) await insertQuarantine(tx, meant, lot.trim(), sku, deps.now(), by.person_id);
    else await deleteQuarantine(tx, meant, lot.trim(), sku);
    const action = on ? ("lot_quarantined" as const) : ("lot_released" as const);
    await writeAudit({ db: tx, now: deps.now }, by, { account_id: null, action, subject: `lot ${lot}` }, request_id);
  });

type Package = { lot: string | null; sku: string };
/** Refuses packages of a recalled lot. */
export type LotCheck = (packages: readonly Package[]) => Promise<void>;

export const lotCheck =
  (db: Queryable, account_id: string): LotCheck =>
  async (packages) => {
    const given = packages.flatMap(({ lot, sku }) => (lot === null ? [] : { lot, sku }));
    if (await isQuarantined(db, account_id, given)) throw new WorkRefusal("lot_recalled");
  };
