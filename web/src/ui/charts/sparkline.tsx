import { type ChartTone, toneClass } from "./legend.tsx";
import { linePath } from "./line-path.ts";
import styles from "./sparkline.module.css";

const WIDTH = 96;
const HEIGHT = 24;
/** Keeps the line's own width inside. */
const EDGE = 2;

/** A small line without axes, for a table cell. `label` says in words what it shows. */
export function Sparkline({
  label,
  values,
  tone,
  most,
}: {
  label: string;
  values: readonly (number | null)[];
  tone: ChartTone;
  /** Fixed top of the scale. */
  most?: number;
}) {
  const top = most ?? Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / Math.max(1, values.length);
  return (
    <svg
      className={`${styles["spark"]} ${toneClass(tone)}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
    >
      <line className={styles["rule"]} x1={0} x2={WIDTH} y1={HEIGHT - EDGE} y2={HEIGHT - EDGE} />
      <path
        className={styles["line"]}
        d={linePath(
          values,
          (index) => (index + 0.5) * step,
          (value) => HEIGHT - EDGE - (value / top) * (HEIGHT - 2 * EDGE),
          step,
        )}
      />
    </svg>
  );
}
