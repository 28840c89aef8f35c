import type { ReactNode } from "react";
import type { Tone } from "../badge.tsx";
import styles from "./tile.module.css";

/** A key figure. Wrap it in a link with `tileClass` to lead to the details. */
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
