import { lazy, Suspense } from "react";
import { IconButton } from "../../ui/controls/button.tsx";
import { say } from "../../ui/words/say.tsx";
import { useHome } from "../live-home.tsx";
import { openPanel, usePanel } from "../panels.ts";
import styles from "./notifications.module.css";

/** Few users open it on each visit. */
const NotificationPanel = lazy(async () => ({
  default: (await import("./notification-panel.tsx")).NotificationPanel,
}));

/** Opens the user's notifications, and shows how many are unread. */
export function Bell() {
  const unread = useHome().data?.unread ?? 0;
  return (
    <span className={styles["bell"]}>
      <IconButton
        label={unread === 0 ? say("Notifications") : say("Notifications, {unread} unread", { unread })}
        icon="bell"
        onClick={() => openPanel("notifications")}
      />
      {unread > 0 && (
        <span className={styles["count"]} aria-hidden="true">
          {unread > 99 ? "99+" : unread}
        </span>
      )}
    </span>
  );
}

export const Notifications = () =>
  usePanel() === "notifications" && (
    <Suspense>
      <NotificationPanel onClose={() => openPanel(null)} />
    </Suspense>
  );
