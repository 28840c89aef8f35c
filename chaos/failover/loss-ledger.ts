/** A request with its answer: the service saved it at some time in between. */
export type TimedOrder = { order_number: string; begun_ms: number; answered_ms: number };
/** A time whose writes may be missing, as the service tells it. */
export type ToldLoss = { from_ms: number; until_ms: number; bytes: number | null };

/** Whether a request that was answered may have been saved in that time. */
export const isWithin = ({ begun_ms, answered_ms }: Omit<TimedOrder, "order_number">, loss: ToldLoss): boolean =>
  answered_ms >= loss.from_ms && begun_ms <= loss.until_ms;

/** An acknowledged order may only be missing if the service says so. */
export const judgeLosses = (lost: readonly TimedOrder[], losses: readonly ToldLoss[]): string[] =>
  lost
    .filter((order) => !losses.some((loss) => isWithin(order, loss)))
    .map(() => "an acknowledged order is missing, and no loss has its time");
