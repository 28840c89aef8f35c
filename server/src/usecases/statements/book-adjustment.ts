import { randomUUID } from "node:crypto";
import type { Database } from "../../db/db.ts";
import { findOrder } from "../../db/orders/orders.ts";
import { findLedger, insertAdjustment } from "../../db/statements/statements.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { isDate, startOfDay } from "../../domain/values/calendar.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { requireAccount } from "../accounts/require-account.ts";

export type Adjustment = {
  account_id: string;
  kind: "fee" | "credit";
  /** More than zero, for a credit too. */
  amount_cents: number;
  description: string;
  order_number: string | null;
  /** A day of an open month; without it, the line is booked now. */
  on: string | null;
};

const MOST_CENTS = 100_000_000;
const DESCRIPTION_CHARACTERS = 200;

/** The pharmacy adds a fee or a credit to a partner's statement. */
export async function bookAdjustment(
  { db, zone, now }: { db: Database; zone: string; now: Date },
  given: Adjustment,
): Promise<{ line_id: string; booked_at: Date; amount_cents: number }> {
  const { account_id, kind, order_number, on } = given;
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
  if (order_number !== null && (await findOrder(db, account_id, order_number)) === undefined) {
    throw new AdminRefusal("The account has no such order.");
  }
  const today = accountNow(now, clock_offset_s);
  const booked_at = on === null ? today : dayOf(zone, on);
  if (booked_at > today) throw new AdminRefusal("The day is in the future.");
  const ledger = await findLedger(db, account_id);
  // The database refuses it too.
  if (ledger !== undefined && booked_at < ledger.closed_until) {
    throw new AdminRefusal("The statement of that month is closed. Book it on a later day.");
  }
  const amount_cents = kind === "credit" ? -given.amount_cents : given.amount_cents;
  const source_id = randomUUID();
  await insertAdjustment(db, { account_id, booked_at, source_id, kind, amount_cents, order_number, description });
  return { line_id: `${source_id}-1`, booked_at, amount_cents };
}

function dayOf(zone: string, on: string): Date {
  if (!isDate(on)) throw new AdminRefusal("Write the day as YYYY-MM-DD.");
  return startOfDay(zone, on);
}
