import { judgeCheck, needsState, type ReceiverAnswer, type Seen } from "./judge-check.ts";
import { type CertifyRun, type CheckPlan, type PlannedDelivery, planChecks } from "./plan-checks.ts";
import { type ReceiverCheck, receiverCheckNames } from "./receiver-checks.ts";
import type { CertifiedCheck } from "./report-steps.ts";

/**
 * What a run asks for: to send deliveries at the same time, or to read the receiver's state. The command line and the service send
 * in different ways, so a run yields what to do and goes on with the result.
 */
export type CertifyStep = { deliveries: readonly PlannedDelivery[] } | { deliveries: null };
export type CertifySteps<Result> = Generator<CertifyStep, Result, readonly ReceiverAnswer[] | Seen["state"]>;

/** Takes the steps of a run. */
export type CertifyWatch = {
  /** True once the run must end. The other checks are then reported as not checked. */
  isOver?(): boolean;
  onCheck?(done: number, all: number): void;
};

/** A receiver that does not take a correct delivery cannot be judged further. */
const FIRST: ReceiverCheck = "accepts_event";

/** Runs the checks of the table in order. */
export function* certifySteps(
  run: CertifyRun,
  watch: CertifyWatch = {},
  names: readonly ReceiverCheck[] = receiverCheckNames,
): CertifySteps<CertifiedCheck[]> {
  const plans = planChecks(run);
  const checks: CertifiedCheck[] = [];
  let ended = false;
  for (const name of names) {
    watch.onCheck?.(checks.length, names.length);
    ended ||= watch.isOver?.() ?? false;
    const check: CertifiedCheck = ended ? notChecked(name) : yield* certifyOne(name, plans[name]);
    checks.push(check);
    ended ||= name === FIRST && check.result === "failed";
  }
  return checks;
}

function* certifyOne(name: ReceiverCheck, plan: CheckPlan): CertifySteps<CertifiedCheck> {
  const steps: Seen["steps"][number][] = [];
  for (const deliveries of plan) {
    const answers = (yield { deliveries }) as readonly ReceiverAnswer[];
    steps.push(deliveries.map((delivery, index) => ({ delivery, answer: answers[index]! })));
  }
  const state = (yield { deliveries: null }) as Seen["state"];
  const finding = judgeCheck(name, { steps, state });
  if (finding === undefined) return notChecked(name);
  return { name, result: finding === null ? "passed" : "failed", finding };
}

const notChecked = (name: ReceiverCheck): CertifiedCheck => ({ name, result: "not_checked", finding: null });

/** Whether the receiver passed: no check failed, and each ran that could. */
export const hasPassed = (checks: readonly CertifiedCheck[], effects_checked: boolean): boolean =>
  checks.every(
    ({ name, result }) =>
      result === "passed" || (result === "not_checked" && !effects_checked && needsState.has(name as ReceiverCheck)),
  );
