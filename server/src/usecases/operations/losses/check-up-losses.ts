import type { Database } from "../../../db/db.ts";
import { migrationState } from "../../../db/migrate.ts";
import { type LossRow, openLosses } from "../../../db/operations/database-runs.ts";
import type { Finding } from "../check-up.ts";

const WHAT = "data loss";
const MOST_TOLD = 5;

/** An acknowledged write that is missing is an incident until an operator has settled it with the partners. */
export async function checkLosses(db: Database): Promise<Finding> {
  if ((await migrationState(db)).pending.length > 0)
    return { what: WHAT, state: "warning", says: "not checked: migrations are pending" };
  const open = await openLosses(db);
  if (open.length === 0)
    return { what: WHAT, state: "ok", says: "no failover or restore is known to have lost acknowledged writes" };
  const told = open.slice(0, MOST_TOLD).map(sentence).join("; ");
  const more = open.length > MOST_TOLD ? ` and ${open.length - MOST_TOLD} more` : "";
  return {
    what: WHAT,
    state: "failed",
    says: `writes may be missing ${told}${more}: the partners' feeds say so; settle it with them, then run \`pestle database losses --close NUMBER\``,
  };
}

/** One of them, for a line of text. */
const sentence = ({ loss_id, lost_from, lost_until, lost_bytes }: LossRow): string => {
  const certain = lost_bytes === null ? "" : `, at least ${lost_bytes} bytes of the log`;
  return `from ${lost_from.toISOString()} to ${lost_until.toISOString()} (number ${loss_id}${certain})`;
};
