import type { Environment } from "../endpoints/oauth.ts";
import type { StaffRole } from "../lifecycle.ts";

/** What concerns one staff member, under `/web/dashboard`. Times are ISO 8601. */

/** GET /dashboard/colleagues: the active staff, by name. For assignments and for `@Name` in notes. */
export type DashboardColleagues = { colleagues: Colleague[] };
export type Colleague = { person_id: string; name: string; role: StaffRole };

/** Why a staff member is notified about an order. `by`: whether a colleague, the partner, the carrier or Pestle itself caused it. */
export const notificationKinds = {
  mention: { text: "mentioned you in a note", by: "colleague" },
  assignment: { text: "assigned an order to you", by: "colleague" },
  answer: { text: "answered about an order that you worked on", by: "partner" },
  undelivered: { text: "could not deliver a message to the patient", by: "service" },
  parcel: { text: "lost, returned or could not deliver a parcel", by: "carrier" },
} as const satisfies Record<string, { text: string; by: "colleague" | "partner" | "service" | "carrier" }>;
export type NotificationKind = keyof typeof notificationKinds;
export const notificationKindNames = Object.keys(notificationKinds) as [NotificationKind, ...NotificationKind[]];

/** Pestle keeps this many for each person and account, the newest, and none for longer than the days below. */
export const MOST_NOTIFICATIONS = 100;
export const NOTIFICATION_DAYS = 30;

/** GET /dashboard/notifications: the user's own, newest first. None of them has text of a note or names a patient. */
export type DashboardNotifications = { notifications: DashboardNotification[]; unread: number };
export type DashboardNotification = {
  notification_id: number;
  at: string;
  kind: NotificationKind;
  account_id: string;
  order_number: string;
  partner: string;
  environment: Environment;
  /** The colleague's name; null if the partner, the carrier or Pestle caused it. */
  by: string | null;
  read: boolean;
};

/** GET and PUT /dashboard/digest: an email each morning with counts, for the user. `mail`: the service can send email. */
export type DigestSetting = { daily_digest: boolean; mail: boolean };

/** POST /dashboard/notifications/read marks one as read. `and_older` also marks every older one. */
export type ReadNotificationsRequest = { notification_id: number; and_older?: boolean };
