import { isProductMiss, MOST_MISSES, type ProductMiss } from "@pestle/contract";
import { insertMiss } from "../../../db/fulfillment/product-misses.ts";
import type { Deps } from "../../../deps.ts";
import { type Looker, writeAudit } from "../../operations/write-audit.ts";
import { transact } from "../../write.ts";
import { WorkRefusal, type WorkRefusalKey } from "../work-refusal.ts";

/** A miss has the key of the refusal. */
const isMiss = (key: WorkRefusalKey): key is WorkRefusalKey & ProductMiss => isProductMiss(key);

type Place = { account_id: string; order_number: string };

/** Records a wrong package that a scan stopped, for the report of near misses. Returns whether it was recorded. */
export const noteMiss = (
  deps: Pick<Deps, "db" | "now">,
  by: Looker,
  { account_id, order_number }: Place,
  found: ProductMiss,
  request_id: string | null,
): Promise<boolean> =>
  transact(deps, async (tx) => {
    const miss = { account_id, order_number, at: deps.now(), person_id: by.person_id, found };
    if ((await insertMiss(tx, miss, MOST_MISSES)) === 0) return false;
    const entry = { account_id, action: "product_missed" as const, subject: order_number };
    await writeAudit({ db: tx, now: deps.now }, by, entry, request_id);
    return true;
  });

/** Records the miss behind a refused step, and refuses it. */
export async function refusedStep(
  deps: Pick<Deps, "db" | "now">,
  by: Looker,
  place: Place,
  request_id: string,
  error: unknown,
): Promise<never> {
  if (error instanceof WorkRefusal && isMiss(error.key)) await noteMiss(deps, by, place, error.key, request_id);
  throw error;
}
