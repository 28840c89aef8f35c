import { language } from "./language.ts";

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

/** Each English text in the chosen language. Modules that build texts while they load find it complete. */
export const translation = await load();
