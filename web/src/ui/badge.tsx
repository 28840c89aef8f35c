import type { ReactNode } from "react";
import styles from "./badge.module.css";

export type Tone = "neutral" | "good" | "wait" | "bad" | "info" | "sandbox";

/** A word about a thing. The colour only repeats what the word says. */
export function Badge({ tone = "neutral", children, title }: { tone?: Tone; children: ReactNode; title?: string }) {
  return (
    <span className={`${styles["badge"]} ${styles[tone]}`} title={title}>
      {children}
    </span>
  );
}
