import { type BulkAnswer, type BulkResult, errors, statusMessages } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { faultOf, RequestProblems, StatusRefusal } from "../../domain/values/refusals.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { WorkRefusal } from "./work-refusal.ts";

type OrderKey = { account_id: string; order_number: string };
type Refused = { key: string | null; message: string };

/**
 * Works on one order after the other. A refused order does not stop the rest. `work` returns why an order was refused, or
 * throws the refusal.
 */
export async function inBulk<One extends OrderKey>(
  deps: Deps,
  orders: readonly One[],
  request_id: string,
  work: (one: One) => Promise<Refused | null>,
): Promise<BulkAnswer> {
  const results: BulkResult[] = [];
  for (const one of orders) {
    const { account_id, order_number } = one;
    const refused = await work(one).catch((error: unknown) => refusalOf(deps, error, request_id));
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

/** Unexpected errors are logged, and the other orders continue. */
function refusalOf(deps: Deps, error: unknown, request_id: string): Refused {
  if (error instanceof WorkRefusal) return { key: error.key, message: error.message };
  if (error instanceof AdminRefusal) return { key: null, message: error.message };
  if (error instanceof StatusRefusal) return { key: String(error.status), message: statusMessages[error.status] };
  if (error instanceof RequestProblems) {
    const [{ code }] = error.problems as [RequestProblems["problems"][number]];
    return { key: String(code), message: errors[code][2] };
  }
  deps.log.error({ request_id, err: faultOf(error) }, "unexpected fault");
  return { key: "500", message: statusMessages[500] };
}
