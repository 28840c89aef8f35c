import { findOrInstall } from "./debian-package.ts";

/** The headless shell comes first: without a window's machinery it needs a third less processor time. */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** A Chromium for the browser tests: from CHROMIUM, an installed one, or Debian's. */
export const findBrowser = (): string | undefined =>
  findOrInstall(
    [process.env["CHROMIUM"] ?? "", ...PLACES].filter((file) => file !== ""),
    "chromium-headless-shell",
  );
