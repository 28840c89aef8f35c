import type { ReactNode } from "react";
import styles from "./page.module.css";

/** The title of a screen, what can be done on it, and the tab's title. */
export function Page({
  title,
  heading,
  about,
  actions,
  fill = false,
  children,
}: {
  title: string;
  /** Where the heading shows more than the words. */
  heading?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  /** As high as the window: the last part scrolls, not the page. */
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
