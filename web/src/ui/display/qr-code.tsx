import type { QrPicture } from "@pestle/contract";
import styles from "./qr-code.module.css";

/** Always dark on light with a four-module margin, as cameras expect. */
export function QrCode({ picture: { size, path }, label }: { picture: QrPicture; label: string }) {
  return (
    <svg className={styles["code"]} viewBox={`-4 -4 ${size + 8} ${size + 8}`} role="img" aria-label={label}>
      <path fill="#fff" d={`M-4-4h${size + 8}v${size + 8}h-${size + 8}z`} />
      <path fill="#000" d={path} shapeRendering="crispEdges" />
    </svg>
  );
}
