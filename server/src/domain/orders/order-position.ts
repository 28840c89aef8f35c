/** Orders of one account that one millisecond has room for; positions stay below 2^53 until the year 2248. */
const PER_MS = 1_024;

/**
 * Where an order stands in a list, which is newest first: its time, and the end of its first dispense's number, which
 * tells it from others of the same millisecond. So a time is a place in every list, and a cursor stays where it is.
 */
export const orderPosition = (created_at: Date, dispense_id: number): number =>
  firstPositionAt(created_at) + (dispense_id % PER_MS);

/** All orders from that time on stand here or later, and all from before it earlier. */
export const firstPositionAt = (time: Date): number => time.getTime() * PER_MS;
