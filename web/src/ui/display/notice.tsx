import type { ReactNode } from "react";
import type { Tone } from "../badge.tsx";
import { say } from "../words/say.tsx";
import styles from "./notice.module.css";

/** An inline notice. Screen readers announce the `bad` tone. */
export function Notice({
  tone = "info",
  title,
  actions,
  children,
}: {
  tone?: Tone;
  title?: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={`${styles["notice"]} ${styles[tone]}`} role={tone === "bad" ? "alert" : undefined}>
      {title && <strong>{title}</strong>}
      {children && <div>{children}</div>}
      {actions && <div className="row">{actions}</div>}
    </div>
  );
}

/** The empty state of a list: what belongs here and what to do next. */
export function Empty({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <div className={styles["empty"]}>
      <p>
        <strong>{title}</strong>
      </p>
      {children && <div className="quiet">{children}</div>}
    </div>
  );
}

/** A placeholder for text that is still loading. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className={styles["skeleton"]} role="status">
      <span className="unseen">{say("Loading")}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical
        <span key={line} />
      ))}
    </div>
  );
}
