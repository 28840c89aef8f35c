import type { ReactNode } from "react";
import type { Tone } from "../badge.tsx";
import styles from "./notice.module.css";

/** Something to know before going on. With the tone `bad` it is also said aloud. */
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

/** Where a list has nothing: what it would hold, and what to do. */
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

/** Stands where lines of text will be. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className={styles["skeleton"]} role="status">
      <span className="unseen">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <span key={line} />
      ))}
    </div>
  );
}
