import type { BookedAdjustment } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import type { Admin } from "../accounts/partners-in-dashboard.ts";
import { writeAudit } from "../operations/write-audit.ts";
import { transact } from "../write.ts";
import { type Adjustment, bookAdjustment } from "./book-adjustment.ts";

/** A lead books a fee or a credit. A repeated request with its key books nothing and writes no audit entry. */
export const bookInDashboard = (deps: Deps, by: Admin, given: Adjustment): Promise<BookedAdjustment> =>
  transact(deps, async (tx) => {
    const zone = deps.config.TIME_ZONE;
    const { booked_at, ...line } = await bookAdjustment({ db: tx, zone, now: deps.now() }, given);
    if (!line.repeated) {
      const { account_id } = given;
      const entry = { account_id, action: "adjustment_booked" as const, subject: line.line_id };
      await writeAudit({ db: tx, now: deps.now }, by, entry, by.request_id);
    }
    return { ...line, booked_at: booked_at.toISOString() };
  });
