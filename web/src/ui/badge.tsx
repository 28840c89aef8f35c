import type { ReactNode } from "react";
import styles from "./badge.module.css";

export type Tone = "neutral" | "good" | "wait" | "bad" | "info" | "sandbox";

/** A short status label. The color only repeats what the text says. */
export function Badge({ tone = "neutral", children, title }: { tone?: Tone; children: ReactNode; title?: string }) {
  return (
    <span className={`${styles["badge"]} ${styles[tone]}`} title={title}>
      {children}
    </span>
  );
}
