import { saveFile } from "./save-file.ts";

/** Longer than a browser takes to load the file. Revoking the URL later does not close it. */
const KEPT_MS = 60_000;

/** Opens a file in a new tab, or saves it if the browser blocks pop-ups. */
export function openFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const opened = window.open(url, "_blank");
  if (opened === null) saveFile(name, blob);
  else opened.opener = null;
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
