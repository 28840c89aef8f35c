import type { ReactNode } from "react";
import styles from "./page.module.css";

/** Page layout: heading, actions, and the browser tab's title. */
export function Page({
  title,
  heading,
  about,
  actions,
  fill = false,
  children,
}: {
  title: string;
  /** Replaces the plain-text heading. */
  heading?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  /** Fill the window height, so the last section scrolls instead of the page. */
  fill?: boolean;
  children: ReactNode;
}) {
  return (
    <div className={`${styles["page"]} ${fill ? styles["fill"] : ""}`}>
      <title>{`${title} · Pestle`}</title>
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
