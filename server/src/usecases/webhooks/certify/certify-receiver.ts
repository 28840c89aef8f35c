import { type CertifiedCheck, type ReceiverCheck, receiverCheckNames } from "@pestle/contract";
import {
  judgeCheck,
  needsState,
  type ReceiverAnswer,
  type Seen,
} from "../../../domain/webhooks/certify/judge-check.ts";
import { type CertifyRun, type PlannedDelivery, planChecks } from "../../../domain/webhooks/certify/plan-checks.ts";

/** How a run reaches the receiver. */
export type CertifyReach = {
  /** Resolves with the answer and never throws. */
  send(delivery: PlannedDelivery): Promise<ReceiverAnswer>;
  /** Reads the receiver's state; null if it shows none. */
  readState(): Promise<Seen["state"]>;
  /** True once the run must end. The other checks are then reported as not checked. */
  isOver?(): boolean;
  onCheck?(done: number, all: number): void;
};

/** A receiver that does not take a correct delivery cannot be judged further. */
const FIRST: ReceiverCheck = "accepts_event";

/** Runs the checks of the table in order. */
export async function certifyReceiver(
  run: CertifyRun,
  reach: CertifyReach,
  names: readonly ReceiverCheck[] = receiverCheckNames,
): Promise<CertifiedCheck[]> {
  const plans = planChecks(run);
  const checks: CertifiedCheck[] = [];
  let ended = false;
  for (const name of names) {
    reach.onCheck?.(checks.length, names.length);
    ended ||= reach.isOver?.() ?? false;
    const check: CertifiedCheck = ended ? notChecked(name) : await certifyOne(name);
    checks.push(check);
    ended ||= name === FIRST && check.result === "failed";
  }
  return checks;

  async function certifyOne(name: ReceiverCheck): Promise<CertifiedCheck> {
    const steps: Seen["steps"][number][] = [];
    for (const step of plans[name]) {
      steps.push(await Promise.all(step.map(async (delivery) => ({ delivery, answer: await reach.send(delivery) }))));
    }
    const finding = judgeCheck(name, { steps, state: await reach.readState() });
    if (finding === undefined) return notChecked(name);
    return { name, result: finding === null ? "passed" : "failed", finding };
  }
}

const notChecked = (name: ReceiverCheck): CertifiedCheck => ({ name, result: "not_checked", finding: null });

/** Whether the receiver passed: no check failed, and each ran that could. */
export const hasPassed = (checks: readonly CertifiedCheck[], effects_checked: boolean): boolean =>
  checks.every(
    ({ name, result }) =>
      result === "passed" || (result === "not_checked" && !effects_checked && needsState.has(name as ReceiverCheck)),
  );
