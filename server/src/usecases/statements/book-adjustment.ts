import { randomUUID } from "node:crypto";
import type { Database, Queryable } from "../../db/db.ts";
import { findOrder } from "../../db/orders/orders.ts";
import { findAdjustment, findLedger, insertAdjustment } from "../../db/statements/statements.ts";
import { type Booking, isBookingKey, repeatsBooking } from "../../domain/statements/booking-key.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { isDate, startOfDay } from "../../domain/values/calendar.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { requireAccount } from "../accounts/require-account.ts";
import { transact } from "../write.ts";

export type Adjustment = {
  account_id: string;
  kind: "fee" | "credit";
  /** More than zero, for a credit too. */
  amount_cents: number;
  description: string;
  order_number: string | null;
  /** A day of an open month; without it, the line is booked now. */
  on: string | null;
  /** Identifies it within the account. The same key with the same content books nothing and returns the first line. */
  key: string;
};
/** `repeated`: it was booked before, with the same key. */
type BookedLine = { line_id: string; booked_at: Date; amount_cents: number; repeated: boolean };

const MOST_CENTS = 100_000_000;
const DESCRIPTION_CHARACTERS = 200;

type BookDeps = { db: Database; zone: string; now: Date };

/** The pharmacy adds a fee or a credit to a partner's statement. */
export const bookAdjustment = ({ db, zone, now }: BookDeps, given: Adjustment): Promise<BookedLine> =>
  transact({ db }, (tx) => bookOnce(tx, zone, now, given));

async function bookOnce(db: Queryable, zone: string, now: Date, given: Adjustment): Promise<BookedLine> {
  const { account_id, kind, order_number, key } = given;
  const { clock_offset_s } = await requireAccount(db, account_id);
  const description = given.description.trim();
  if (description === "" || description.length > DESCRIPTION_CHARACTERS || /\p{Cc}/u.test(description)) {
    throw new AdminRefusal(
      `Describe it in 1 to ${DESCRIPTION_CHARACTERS} characters on one line, without patient data.`,
    );
  }
  if (!Number.isInteger(given.amount_cents) || given.amount_cents < 1 || given.amount_cents > MOST_CENTS) {
    throw new AdminRefusal(`The amount is a whole number of cents from 1 to ${MOST_CENTS}.`);
  }
  if (!isBookingKey(key)) {
    throw new AdminRefusal("The key has 1 to 64 letters, digits and . _ : / -, and begins with a letter or a digit.");
  }
  const on = given.on === null ? null : dayOf(zone, given.on);
  const amount_cents = kind === "credit" ? -given.amount_cents : given.amount_cents;
  const booking: Booking = { kind, amount_cents, description, order_number };
  // Before the other checks: the month of the first command may be closed by now.
  const earlier = await findAdjustment(db, account_id, key);
  if (earlier !== undefined) {
    if (!repeatsBooking(earlier, booking, on)) throw new AdminRefusal(KEY_TAKEN);
    return { ...bookedLine(earlier), repeated: true };
  }
  if (order_number !== null && (await findOrder(db, account_id, order_number)) === undefined) {
    throw new AdminRefusal("The account has no such order.");
  }
  const today = accountNow(now, clock_offset_s);
  const booked_at = on ?? today;
  if (booked_at > today) throw new AdminRefusal("The day is in the future.");
  const ledger = await findLedger(db, account_id);
  // The database refuses it too.
  if (ledger !== undefined && booked_at < ledger.closed_until) {
    throw new AdminRefusal("The statement of that month is closed. Book it on a later day.");
  }
  const line = { ...booking, account_id, description, booked_at, source_id: randomUUID(), booking_key: key };
  await insertAdjustment(db, line);
  return { ...bookedLine(line), repeated: false };
}

const KEY_TAKEN = "Another fee or credit of the account has this key. Use another key, or repeat the same command.";

const bookedLine = (line: { source_id: string; booked_at: Date; amount_cents: number }) => ({
  line_id: `${line.source_id}-1`,
  booked_at: line.booked_at,
  amount_cents: line.amount_cents,
});

function dayOf(zone: string, on: string): Date {
  if (!isDate(on)) throw new AdminRefusal("Write the day as YYYY-MM-DD.");
  return startOfDay(zone, on);
}
