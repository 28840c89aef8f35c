import type { Deps } from "../../deps.ts";
import { faultOf, StatusRefusal } from "../../domain/values/refusals.ts";
import { LostRaces } from "../write.ts";

/**
 * For jobs that process many records: one failure does not stop the others. Returns undefined for a failed record, and
 * the next round retries it. An unreachable database ends the round.
 */
export async function apart<Result>(
  deps: Pick<Deps, "log" | "metrics">,
  about: Record<string, string | number>,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StatusRefusal && !(error instanceof LostRaces)) throw error;
    deps.metrics.countFault("job");
    deps.log.error({ ...about, err: faultOf(error) }, "a job failed on this record and continues with the others");
    return undefined;
  }
}
