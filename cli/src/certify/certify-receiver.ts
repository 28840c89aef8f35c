import {
  type CertifiedCheck,
  type CertifyRun,
  type CertifyWatch,
  certifySteps,
  type PlannedDelivery,
  type ReceiverAnswer,
  type ReceiverCheck,
  type Seen,
} from "@pestle/contract";

/** How a run reaches the receiver. */
export type CertifyReach = CertifyWatch & {
  /** Resolves with the answer and never throws. */
  send(delivery: PlannedDelivery): Promise<ReceiverAnswer>;
  /** Reads the receiver's state; null if it shows none. */
  readState(): Promise<Seen["state"]>;
};

/** Runs the checks of the table in order. */
export async function certifyReceiver(
  run: CertifyRun,
  reach: CertifyReach,
  names?: readonly ReceiverCheck[],
): Promise<CertifiedCheck[]> {
  const steps = certifySteps(run, reach, names);
  let next = steps.next();
  while (!next.done) {
    const { deliveries } = next.value;
    next = steps.next(deliveries === null ? await reach.readState() : await Promise.all(deliveries.map(reach.send)));
  }
  return next.value;
}
