import { saveFile } from "./save-file.ts";

/** Longer than a browser takes to load it; what it shows by then stays. */
const KEPT_MS = 60_000;

/** Opens a file beside this page. Where the browser does not let a page open another, it is saved instead. */
export function openFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const opened = window.open(url, "_blank");
  if (opened === null) saveFile(name, blob);
  else opened.opener = null;
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
