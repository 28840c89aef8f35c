import { MOST_NOTIFICATIONS } from "@pestle/contract";
import type { Queryable } from "../../../db/db.ts";
import {
  insertNotifications,
  listColleagues,
  listFollowers,
  type NewNotifications,
} from "../../../db/fulfillment/notifications.ts";

type About = Pick<NewNotifications, "account_id" | "order_number" | "at">;

/** Notifies staff of what a colleague did, in its transaction. No one is notified of their own deeds. */
export async function notifyStaff(
  db: Queryable,
  about: About,
  given: { kind: "mention" | "assignment"; caused_by: string; person_ids: readonly string[] },
): Promise<void> {
  const person_ids = given.person_ids.filter((person_id) => person_id !== given.caused_by);
  if (person_ids.length === 0) return;
  await insertNotifications(db, { ...about, ...given, person_ids }, MOST_NOTIFICATIONS);
}

/** Notifies leads and admins that a parcel did not arrive: someone must call the carrier, refund or send it again. */
export async function notifyOfParcel(db: Queryable, about: About): Promise<void> {
  const staff = await listColleagues(db);
  const person_ids = staff.filter(({ role }) => role === "lead" || role === "admin").map(({ person_id }) => person_id);
  if (person_ids.length === 0) return;
  await insertNotifications(db, { ...about, person_ids, kind: "parcel", caused_by: null }, MOST_NOTIFICATIONS);
}

/** Notifies the staff who wait for the partner's word about an order. It runs in the partner's transaction. */
export async function notifyFollowers(db: Queryable, about: About, in_reply_to: string | null): Promise<void> {
  const person_ids = await listFollowers(db, about.account_id, about.order_number, in_reply_to, about.at);
  if (person_ids.length === 0) return;
  await insertNotifications(db, { ...about, person_ids, kind: "answer", caused_by: null }, MOST_NOTIFICATIONS);
}
