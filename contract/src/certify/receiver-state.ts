/** What a receiver says about itself at `--state`. */
export type ReceiverState = {
  /** The ids of the events it has stored or applied: one entry for each time, so that a repeat is visible. */
  events: readonly string[];
  /** By order number. Undefined if the receiver does not follow the changes of orders. */
  orders: Readonly<Record<string, { sequence: number; missing: readonly number[] | null }>> | undefined;
};

/** Reads the JSON of `--state`; undefined if it has another shape. */
export function readReceiverState(value: unknown): ReceiverState | undefined {
  if (!isObject(value)) return undefined;
  const { events, orders } = value;
  if (!isTexts(events)) return undefined;
  if (orders === undefined) return { events, orders };
  if (!isObject(orders)) return undefined;
  const read: Record<string, { sequence: number; missing: readonly number[] | null }> = {};
  for (const [order_number, order] of Object.entries(orders)) {
    if (!isObject(order) || typeof order["sequence"] !== "number") return undefined;
    const missing = order["missing"] ?? null;
    if (missing !== null && !isNumbers(missing)) return undefined;
    read[order_number] = { sequence: order["sequence"], missing };
  }
  return { events, orders: read };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => typeof item === "number");
