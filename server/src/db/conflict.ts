/** 40001: `conflict_unless`, our guard in the save statements; 40P01: PostgreSQL ended one side of a deadlock. */
const CONFLICT_CODES = new Set(["40001", "40P01"]);
const UNIQUE_VIOLATION = "23505";
const CHECK_VIOLATION = "23514";

/**
 * The constraints and unique indexes that two valid changes can violate only by running at the same time. Any other
 * violation is our bug: a retry would fail the same way, and a 503 would hide it.
 */
export const RACED_CONSTRAINTS = {
  // Two orders for one medication of a patient, each decided as the only one.
  order_item_alone: UNIQUE_VIOLATION,
  // Two orders draw the same random number, or the same position within a millisecond. The retry draws new ones.
  orders_pkey: UNIQUE_VIOLATION,
  orders_by_position: UNIQUE_VIOLATION,
  // Two messages about an order at the same time.
  order_message_pkey: UNIQUE_VIOLATION,
  // Two commands book a fee or a credit with the same key. The retry finds the line of the first.
  money_entry_by_key: UNIQUE_VIOLATION,
  // Two requests for renewal of one prescription at the same time.
  prescriber_message_open_renewal: UNIQUE_VIOLATION,
  // Two schedules for a prescription at the same time, or two at the same position within a millisecond.
  refill_schedule_live: UNIQUE_VIOLATION,
  refill_schedule_by_position: UNIQUE_VIOLATION,
  // Two concurrent messages create the same patient, or draw the same key for two.
  patient_by_id: UNIQUE_VIOLATION,
  patient_pkey: UNIQUE_VIOLATION,
  // Two orders reserve the last units of a product. This check compares the stock; no guard does.
  stock_check: CHECK_VIOLATION,
} as const;

/** Another transaction changed the data behind this decision. Reload and decide again. */
export function isConflict(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (CONFLICT_CODES.has(String(code))) return true;
  return Object.entries(RACED_CONSTRAINTS).some(([name, violation]) => name === constraint && violation === code);
}
