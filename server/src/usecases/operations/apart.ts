import type { Deps } from "../../deps.ts";
import { faultOf, StatusRefusal } from "../../domain/values/refusals.ts";
import { LostRaces } from "../write.ts";

/**
 * For jobs that do the same for many records: a fault of one does not stop the others. Returns undefined for a record
 * that failed; the next round tries it again. A database that is out of reach ends the round.
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
    deps.log.error(
      { ...about, err: faultOf(error) },
      "a job could not process this record and continues with the others",
    );
    return undefined;
  }
}
