import { type DashboardNotification, notificationKinds } from "@pestle/contract";
import { useEffect } from "react";
import { api } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { Age } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { useHome } from "../live-home.tsx";
import { orderPath } from "../order-link.ts";
import styles from "./notifications.module.css";

const reads = ["/dashboard/notifications", "/dashboard/home"] as const;

/** The user's notifications, newest first. Opening an order marks its notification as read. */
export function NotificationPanel({ onClose }: { onClose: () => void }) {
  const query = useApi("/dashboard/notifications");
  const { refetch } = query;
  const unread = useHome().data?.unread;
  // The list of an earlier visit is out of date as soon as the count changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads again when the count changes
  useEffect(() => void refetch(), [unread, refetch]);
  const read = useChange(
    (notification_id: number, and_older: boolean) =>
      api("/dashboard/notifications/read", { method: "POST", body: { notification_id, and_older } }),
    { reads },
  );
  const newest = query.data?.notifications[0];
  return (
    <Dialog
      title={say("Notifications")}
      onClose={onClose}
      actions={
        <>
          {newest && (query.data?.unread ?? 0) > 0 && (
            <Button icon="check" busy={read.busy} onClick={() => void read.run(newest.notification_id, true)}>
              {say("Mark all as read")}
            </Button>
          )}
          <Button onClick={onClose}>{say("Close")}</Button>
        </>
      }
    >
      {read.error !== null && <Problem error={read.error} />}
      <Loaded query={query}>
        {({ notifications }) =>
          notifications.length === 0 ? (
            <Empty title={say("All caught up")}>
              {say(
                "You see here when a colleague mentions you in a note or assigns an order to you, and when a partner answers about an order that you asked about, held or claimed.",
              )}
            </Empty>
          ) : (
            <ul className={styles["list"]}>
              {notifications.map((one) => (
                <li key={one.notification_id} data-unread={!one.read || undefined}>
                  <Link
                    to={orderPath(one)}
                    onClick={() => {
                      if (!one.read) void read.run(one.notification_id, false);
                      onClose();
                    }}
                  >
                    <span>
                      {!one.read && <span className="unseen">{say("Unread:")} </span>}
                      <strong>{whoOf(one)}</strong> {sayName(notificationKinds[one.kind].text)}
                    </span>
                    <span className={styles["about"]}>
                      <span className="mono">{one.order_number}</span>
                      <span>{one.partner}</span>
                      <EnvironmentBadge environment={one.environment} />
                      <Age since={one.at} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}

function whoOf({ kind, by, partner }: DashboardNotification): string {
  const cause = notificationKinds[kind].by;
  if (cause === "service") return say("Pestle");
  if (cause === "carrier") return say("The carrier");
  return cause === "partner" ? partner : (by ?? say("A colleague"));
}
