import type { EnvironmentDeps } from "../deps.ts";

/**
 * Runs a request's work when its environment has room for the party that sent it. Call it after the body is read, because a
 * caller that sends slowly must not occupy a place.
 */
export function admitted<Result>(
  { admission }: Pick<EnvironmentDeps, "admission">,
  party: string,
  work: () => Result | Promise<Result>,
): Result | Promise<Result> {
  const waiting = admission.enter(party);
  return waiting === undefined ? run() : waiting.then(run);

  function run(): Result | Promise<Result> {
    let result: Result | Promise<Result>;
    try {
      result = work();
    } catch (error) {
      admission.leave(party);
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => admission.leave(party));
    admission.leave(party);
    return result;
  }
}
