import type { BulkAnswer, RecallNoticeRequest } from "@pestle/contract";
import { insertNotice } from "../../../db/fulfillment/recalls.ts";
import type { Deps } from "../../../deps.ts";
import { transact } from "../../write.ts";
import { inBulk } from "../in-bulk.ts";
import { writeStaffMessage } from "../send-staff-message.ts";
import type { Worker } from "../steps.ts";
import { WorkRefusal } from "../work-refusal.ts";

/**
 * Sends each order's partner a message about a recalled lot, one order after the other. A partner hears of a lot once for
 * each order. A refused order does not stop the rest.
 */
export async function tellPartners(
  deps: Deps,
  by: Worker,
  { lot, text, orders }: RecallNoticeRequest,
  request_id: string,
): Promise<BulkAnswer> {
  return inBulk(deps, orders, request_id, async ({ account_id, order_number }) => {
    const work = { account_id, order_number, by, request_id };
    await transact(deps, async (tx) => {
      const said = { text, in_reply_to: null, exception_id: null };
      await writeStaffMessage(deps, tx, work, said, () => []);
      const told = { at: deps.now(), by: by.person_id };
      if ((await insertNotice(tx, account_id, order_number, lot.trim(), told)) === 0) throw new WorkRefusal("told");
    });
    return null;
  });
}
