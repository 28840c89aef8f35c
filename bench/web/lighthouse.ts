import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Not among our packages: it brings a hundred others, and only this bench needs it. */
const VERSION = "12.8.2";
const FOLDER = fileURLToPath(new URL(`../../node_modules/.cache/lighthouse-${VERSION}`, import.meta.url));

export const CATEGORIES = ["performance", "accessibility", "best-practices"] as const;
export type Category = (typeof CATEGORIES)[number];

type Audit = { id: string; title: string; score: number | null; scoreDisplayMode: string; displayValue?: string };
type Result = {
  finalDisplayedUrl: string;
  runtimeError?: { message: string };
  categories: Record<Category, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
  audits: Record<string, Audit>;
};
type Lighthouse = (url: string, flags: object, config: object) => Promise<{ lhr: Result } | undefined>;

export type Score = {
  /** From 0 to 100. */
  scores: Record<Category, number>;
  /** The audits that cost points, for a person who wants to mend them. */
  lost: string[];
};

/** Opens Lighthouse on a browser that listens on this port, with a desk's screen and network. */
export async function openLighthouse(port: number): Promise<(url: string) => Promise<Score>> {
  install();
  const { default: lighthouse } = (await load("core/index.js")) as { default: Lighthouse };
  const { default: config } = (await load("core/config/desktop-config.js")) as { default: object };
  // The browser is signed in, and stays so.
  const flags = { port, logLevel: "error", onlyCategories: [...CATEGORIES], disableStorageReset: true };
  return async (url) => {
    const run = await lighthouse(url, flags, config);
    if (run === undefined) throw new Error(`Lighthouse returned nothing for ${url}`);
    const { lhr } = run;
    if (lhr.runtimeError !== undefined) throw new Error(`${url}: ${lhr.runtimeError.message}`);
    if (lhr.finalDisplayedUrl !== url) throw new Error(`${url} led to ${lhr.finalDisplayedUrl}`);
    return scoreOf(lhr);
  };
}

function scoreOf({ categories, audits }: Result): Score {
  const scores = Object.fromEntries(
    CATEGORIES.map((name) => [name, Math.round((categories[name].score ?? 0) * 100)]),
  ) as Score["scores"];
  const counted = CATEGORIES.flatMap((name) => categories[name].auditRefs).filter(({ weight }) => weight > 0);
  const lost = [...new Set(counted.map(({ id }) => id))]
    .map((id) => audits[id]!)
    .filter(({ score }) => score !== null && score < 0.9)
    .map(({ title, displayValue }) => (displayValue === undefined ? title : `${title}: ${displayValue}`));
  return { scores, lost };
}

function install(): void {
  if (existsSync(join(FOLDER, "node_modules/lighthouse"))) return;
  mkdirSync(FOLDER, { recursive: true });
  const args = ["install", "--prefix", FOLDER, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { status } = spawnSync("npm", [...args, `lighthouse@${VERSION}`], { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error(`npm could not install lighthouse ${VERSION}`);
}

const load = (file: string) => import(pathToFileURL(join(FOLDER, "node_modules/lighthouse", file)).href);
