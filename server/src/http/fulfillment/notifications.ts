import { listColleagues } from "../../db/fulfillment/notifications.ts";
import { readNotification, readNotifications } from "../../usecases/fulfillment/people/read-notifications.ts";
import { chooseDigest, readDigest } from "../../usecases/fulfillment/people/send-digests.ts";
import { json } from "../answer.ts";
import { flagField, wholeField } from "../body-fields.ts";
import { everybody } from "../dashboard-route.ts";
import type { WebRoute } from "../web-api.ts";

/** What concerns one staff member, and whom they can assign and mention. */
export const notificationRoutes: readonly WebRoute[] = [
  {
    method: "GET",
    path: "/dashboard/colleagues",
    roles: everybody,
    handler: async (deps) => json(200, { colleagues: await listColleagues(deps.db) }),
  },
  {
    method: "GET",
    path: "/dashboard/notifications",
    roles: everybody,
    handler: async (deps, { person }) => json(200, await readNotifications(deps, person.person_id)),
  },
  {
    method: "POST",
    path: "/dashboard/notifications/read",
    roles: everybody,
    handler: async (deps, { person, body }) => {
      const given = { notification_id: wholeField(body, "notification_id"), and_older: flagField(body, "and_older") };
      return json(200, await readNotification(deps, person.person_id, given));
    },
  },
  {
    method: "GET",
    path: "/dashboard/digest",
    roles: everybody,
    handler: async (deps, { person }) => json(200, await readDigest(deps, person.person_id)),
  },
  {
    method: "PUT",
    path: "/dashboard/digest",
    roles: everybody,
    handler: async (deps, { person, body }) =>
      json(200, await chooseDigest(deps, person.person_id, flagField(body, "daily_digest"))),
  },
];
