import type { Deps } from "../../deps.ts";
import { faultOf, StatusRefusal } from "../../domain/values/refusals.ts";

/**
 * For jobs that do the same for many: what is wrong with one of them stays with it, and the others are not to wait for
 * it. Undefined where it failed; it comes up again in the next round. A database out of reach is everybody's trouble.
 */
export async function apart<Result>(
  deps: Pick<Deps, "log" | "metrics">,
  about: Record<string, string | number>,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StatusRefusal) throw error;
    deps.metrics.countFault("job");
    deps.log.error({ ...about, err: faultOf(error) }, "a job could not do this one, and goes on with the others");
    return undefined;
  }
}
