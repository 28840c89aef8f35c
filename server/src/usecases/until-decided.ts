import { isConflict } from "../db/conflict.ts";
import type { Queryable, Tx } from "../db/db.ts";

const MOST_TRIES = 5;

/**
 * Two that decided on the same thing at once: whoever comes second decides again on what is there by then. Inside a
 * transaction of somebody else there is no second try: that transaction has ended.
 */
export async function untilDecided<Done>(db: Queryable, attempt: () => Promise<Done>): Promise<Done> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const last = tries === MOST_TRIES || (db as Partial<Tx>).in_transaction === true;
      if (!isConflict(error) || last) throw error;
    }
  }
}
