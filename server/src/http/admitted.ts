import type { EnvironmentDeps } from "../deps.ts";

/**
 * Runs a request's work when its environment has room. Call it after the body is read, because a caller that sends slowly
 * must not occupy a place.
 */
export function admitted<Result>(
  { admission }: Pick<EnvironmentDeps, "admission">,
  work: () => Result | Promise<Result>,
): Result | Promise<Result> {
  const waiting = admission.enter();
  return waiting === undefined ? run() : waiting.then(run);

  function run(): Result | Promise<Result> {
    let result: Result | Promise<Result>;
    try {
      result = work();
    } catch (error) {
      admission.leave();
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => admission.leave());
    admission.leave();
    return result;
  }
}
