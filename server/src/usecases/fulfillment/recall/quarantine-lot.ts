import { environments, type RecallRequest } from "@pestle/contract";
import type { Queryable } from "../../../db/db.ts";
import { deleteQuarantine, insertQuarantine, isQuarantined } from "../../../db/fulfillment/recalls.ts";
import type { Deps } from "../../../deps.ts";
import { type Looker, writeAudit } from "../../operations/write-audit.ts";
import { transact } from "../../write.ts";
import { WorkRefusal } from "../work-refusal.ts";

/** Puts a recalled lot in quarantine, or ends it. No order is filled, checked or shipped from a lot in quarantine. */
export const quarantineLot = (
  deps: Pick<Deps, "db" | "vault" | "now">,
  by: Looker,
  { lot, sku = "", environment }: RecallRequest,
  on: boolean,
  /** Null for a command, which is not a request. */
  request_id: string | null,
): Promise<void> =>
  transact(deps, async (tx) => {
    const meant = environment === undefined ? environments : [environment];
    if (on) await insertQuarantine(tx, meant, lot.trim(), sku, deps.now(), by.person_id);
    else await deleteQuarantine(tx, meant, lot.trim(), sku);
    const action = on ? ("lot_quarantined" as const) : ("lot_released" as const);
    await writeAudit({ db: tx, now: deps.now }, by, { account_id: null, action, subject: `lot ${lot}` }, request_id);
  });

/** Refuses packages of a recalled lot. */
export type LotCheck = (packages: readonly { lot: string; sku: string }[]) => Promise<void>;

export const lotCheck =
  (db: Queryable, account_id: string): LotCheck =>
  async (packages) => {
    if (await isQuarantined(db, account_id, packages)) throw new WorkRefusal("lot_recalled");
  };
