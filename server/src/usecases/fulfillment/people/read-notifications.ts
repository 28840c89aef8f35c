import { type DashboardNotifications, MOST_NOTIFICATIONS } from "@pestle/contract";
import { listNotifications, markRead } from "../../../db/fulfillment/notifications.ts";
import type { Deps } from "../../../deps.ts";

/** A person's own notifications, newest first. */
export async function readNotifications({ db }: Pick<Deps, "db">, person_id: string): Promise<DashboardNotifications> {
  const rows = await listNotifications(db, person_id, MOST_NOTIFICATIONS);
  return {
    notifications: rows.map(({ at, read_at, ...row }) => ({ ...row, at: at.toISOString(), read: read_at !== null })),
    unread: rows.filter(({ read_at }) => read_at === null).length,
  };
}

/** Marks one as read, and with `and_older` every older one. Only the person's own: another id changes nothing. */
export async function readNotification(
  deps: Pick<Deps, "db" | "now">,
  person_id: string,
  { notification_id, and_older }: { notification_id: number; and_older: boolean },
): Promise<DashboardNotifications> {
  await markRead(deps.db, person_id, notification_id, and_older, deps.now());
  return readNotifications(deps, person_id);
}
