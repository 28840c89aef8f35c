import type { ReactNode } from "react";
import styles from "./legend.module.css";
import tones from "./tones.module.css";

export type ChartTone = "accent" | "good" | "wait" | "bad" | "info" | "neutral";

/** A series' color and name, with its value while the user points at one. */
export function LegendEntry({
  tone,
  line = false,
  children,
}: {
  tone: ChartTone;
  line?: boolean;
  children: ReactNode;
}) {
  return (
    <span>
      <i className={`${line ? styles["line"] : styles["swatch"]} ${tones[tone]}`} aria-hidden="true" />
      {children}
    </span>
  );
}

export const legendClass: string = styles["legend"]!;
export const toneClass = (tone: ChartTone): string => tones[tone]!;
