import { language, locale } from "./language.ts";

type Words = { default: Readonly<Record<string, string>> };
/** By base path and language. Only the chosen file is loaded. */
const files: Record<string, () => Promise<Words>> = {
  "/dashboard es": () => import("../../../words/dashboard.es.json"),
  "/portal es": () => import("../../../words/portal.es.json"),
};

async function load(): Promise<Readonly<Record<string, string>>> {
  const app = typeof location === "undefined" ? "" : location.pathname.split("/", 2).join("/");
  const file = files[`${app} ${language}`];
  if (file === undefined) return {};
  document.documentElement.lang = language;
  return (await file()).default;
}

/**
 * The browser's first use of dates takes up to 50 ms, and the modules after this one as long again. Each gets a task of its
 * own, so that the page answers in between.
 */
if (typeof document !== "undefined") {
  new Intl.DateTimeFormat(locale).format();
  await new Promise((resolve) => setTimeout(resolve));
}

/** Each English text in the chosen language. Modules that build texts while they load find it complete. */
export const translation = await load();
