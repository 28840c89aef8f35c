import type { ReactNode } from "react";
import type { IconName } from "../../ui/icon.tsx";
import { say } from "../../ui/words/say.tsx";
import styles from "./page.module.css";
import { useRecent } from "./recent.ts";

/** Page layout: heading, actions, and the browser tab's title. */
export function Page({
  title,
  heading,
  about,
  actions,
  fill = false,
  recent,
  children,
}: {
  title: string;
  /** Replaces the plain-text heading. */
  heading?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  /** Fill the window height, so the last section scrolls instead of the page. */
  fill?: boolean;
  /** The palette offers the page again, with this icon. */
  recent?: IconName;
  children: ReactNode;
}) {
  useRecent(title, recent);
  return (
    <div className={`${styles["page"]} ${fill ? styles["fill"] : ""}`}>
      <title>{say("{title} · Pestle", { title })}</title>
      <header className={styles["heading"]}>
        <div>
          <h1>{heading ?? title}</h1>
          {about && <p className="quiet">{about}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
