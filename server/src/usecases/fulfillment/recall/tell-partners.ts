import type { BulkAnswer, BulkResult, RecallNoticeRequest } from "@pestle/contract";
import { insertNotice } from "../../../db/fulfillment/recalls.ts";
import type { Deps } from "../../../deps.ts";
import { transact } from "../../write.ts";
import { writeStaffMessage } from "../send-staff-message.ts";
import type { Worker } from "../steps.ts";
import { refusalOf } from "../take-step.ts";
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
  const results: BulkResult[] = [];
  for (const { account_id, order_number } of orders) {
    const work = { account_id, order_number, by, request_id };
    const refused = await transact(deps, async (tx) => {
      const said = { text, in_reply_to: null, exception_id: null };
      await writeStaffMessage(deps, tx, work, said, () => []);
      const told = { at: deps.now(), by: by.person_id };
      if ((await insertNotice(tx, account_id, order_number, lot.trim(), told)) === 0) throw new WorkRefusal("told");
    }).then(
      () => null,
      (error: unknown) => refusalOf(deps, error, request_id),
    );
    results.push({
      account_id,
      order_number,
      done: refused === null,
      key: refused?.key ?? null,
      message: refused?.message ?? null,
    });
  }
  const done = results.filter((one) => one.done).length;
  return { done, refused: results.length - done, results };
}
