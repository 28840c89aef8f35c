import type { ReactNode } from "react";
import type { Tone } from "../badge.tsx";
import styles from "./tile.module.css";

/** A number that says how things stand. Put it into a link with `tileClass` where there is more to see. */
export function TileBody({
  label,
  value,
  about,
  tone,
}: {
  label: ReactNode;
  value: ReactNode;
  about?: ReactNode;
  tone?: Tone | undefined;
}) {
  return (
    <>
      <span className={styles["label"]}>{label}</span>
      <span className={`${styles["value"]} ${tone ? styles[tone] : ""}`}>{value}</span>
      {about && <span className={styles["about"]}>{about}</span>}
    </>
  );
}

export const tileClass: string = styles["tile"]!;
export const tilesClass: string = styles["tiles"]!;
