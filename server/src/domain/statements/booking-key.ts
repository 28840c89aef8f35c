/** What identifies a fee or a credit for the person who books it, such as the number of an invoice. */
const KEY_FORM = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;
export const isBookingKey = (text: string): boolean => KEY_FORM.test(text);

/** A fee or a credit, with the sign of its line. */
export type Booking = {
  kind: "fee" | "credit";
  amount_cents: number;
  description: string | null;
  order_number: string | null;
};

/** Whether a request repeats the line that has its key. `on`: the day that it asks for; null if it named none. */
export const repeatsBooking = (line: Booking & { booked_at: Date }, asked: Booking, on: Date | null): boolean =>
  line.kind === asked.kind &&
  line.amount_cents === asked.amount_cents &&
  line.description === asked.description &&
  line.order_number === asked.order_number &&
  (on === null || line.booked_at.getTime() === on.getTime());
