import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { findBrowser } from "../../scripts/browser.ts";
import { createPerson } from "../../server/src/usecases/accounts/create-person.ts";
import { hashPassword } from "../../server/src/vault/password-hash.ts";
import { startTestApp, TEST_PASSWORD_COST, type TestApp } from "../../server/test/support/test-app.ts";
import { licenseFor } from "../../server/test/support/web.ts";
import { englishTexts } from "./english-texts.ts";
import { misfits } from "./misfits.ts";

const ARTIFACTS = fileURLToPath(new URL("../../.artifacts/screenshots/", import.meta.url));
/** `SCREENSHOTS=1`: without a GPU a picture costs as much as all rules of axe but one. */
const SCREENSHOTS = process.env["SCREENSHOTS"] === "1";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export type SignIn = { email: string; password: string };
export type Seen = {
  page: Page;
  /** Requests of the page to other hosts. */
  foreign: string[];
  /** Browser complaints: a policy violation or a script error. */
  complaints: string[];
};
export type Journey = {
  app: TestApp;
  browser: Browser;
  stop(): Promise<void>;
  closePages(): Promise<void>;
  /** A separate browser context at this address. */
  open(path: string, options?: OpenOptions): Promise<Seen>;
  /** The same, signed in with the form at the address. */
  openAs(who: SignIn, path: string, options?: OpenOptions): Promise<Seen>;
  /** Creates a user who can sign in. */
  person(role: string, name?: string, partner_id?: string | null): Promise<SignIn>;
};
type OpenOptions = {
  theme?: "light" | "dark";
  width?: number;
  height?: number;
  /** The user's earlier choice; null on a first visit. */
  environment?: "sandbox" | null;
  /** Whether a new user sees the tour of the dashboard. */
  tour?: boolean;
  /** The person chose Spanish before. */
  language?: "es";
  /** Browsers keep passkeys for names, not for addresses. */
  host?: "localhost";
};
const PASSWORD = "a long enough password";
/** Slow to create, so it is created once. */
let password_hash: string | undefined;
/** The storage key of the dashboard's choice. */
const CHOSEN = "pestle-dashboard-environment";
/** The storage key of the people who have seen the tour. */
const TOUR = "pestle-tour";
/** The storage key of the language. */
const LANGUAGE = "pestle-language";

/** The real service and a real browser. */
export async function startJourney(env: Record<string, string> = {}): Promise<Journey> {
  const app = await startTestApp({ unlimited: true, env });
  const executablePath = findBrowser();
  if (executablePath === undefined)
    throw new Error("no Chromium: install Debian's package chromium-headless-shell, or set CHROMIUM");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", ...QUIET] });
  mkdirSync(ARTIFACTS, { recursive: true });
  const { base_url } = app.addresses;

  const open = async (
    path: string,
    {
      theme = "light",
      width = 1280,
      height = 720,
      environment = "sandbox",
      host,
      tour = false,
      language,
    }: OpenOptions = {},
  ) => {
    // Without animations: a browser without a GPU draws each of their frames on the processor.
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: "reduce",
    });
    // The demo's partners work in the sandbox; the dashboard would start in production.
    if (environment !== null) {
      // An empty page has no storage.
      await context.addInitScript(`try { localStorage["${CHOSEN}"] ??= "sandbox" } catch {}`);
    }
    if (!tour) await context.addInitScript(`try { localStorage["${TOUR}"] ??= "*" } catch {}`);
    if (language) await context.addInitScript(`try { localStorage["${LANGUAGE}"] ??= "${language}" } catch {}`);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    pressAsPeopleDo(page);
    const address = host === undefined ? base_url : base_url.replace("127.0.0.1", host);
    const seen: Seen = { page, foreign: [], complaints: [] };
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(address) && !url.startsWith("data:")) seen.foreign.push(url);
    });
    page.on("console", (message) => {
      // The page shows a rejected request to the user, so the browser's console line adds nothing.
      if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
      seen.complaints.push(message.text());
    });
    page.on("pageerror", (error) => seen.complaints.push(error.message));
    page.on("dialog", (dialog) => {
      seen.complaints.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const response = await page.goto(address + path);
    // No external and no inline content, on every page.
    if (!response?.headers()["content-security-policy"]?.startsWith("default-src 'none'")) throw new Error("no policy");
    return seen;
  };
  let people = 0;
  return {
    app,
    browser,
    open,
    async openAs({ email, password }, path, options) {
      const seen = await open(path, options);
      await seen.page.getByLabel(/^(Email|Correo)/).waitFor();
      await seen.page.keyboard.insertText(email);
      await seen.page.keyboard.press("Tab");
      await seen.page.keyboard.insertText(password);
      await seen.page.keyboard.press("Enter");
      await seen.page.locator("main#content").waitFor();
      return seen;
    },
    async person(role, name = `A ${role}`, partner_id = null) {
      people += 1;
      const email = `${role}-${people}@people.example`;
      password_hash ??= hashPassword(PASSWORD, TEST_PASSWORD_COST);
      const row = { email, name, role, partner_id, password_hash, ...licenseFor(role) };
      await app.deps.db.transaction((tx) => createPerson(tx, row, app.deps.now()));
      return { email, password: PASSWORD };
    },
    async closePages() {
      for (const context of browser.contexts()) await context.close();
    },
    async stop() {
      await browser.close();
      await app.stop();
    },
  };
}

/** The first key of the navigation sequences. */
const GO = "g";

/** Users press a key once they see the page, and the second key of a sequence right after the first. */
function pressAsPeopleDo(page: Page): void {
  const press = page.keyboard.press.bind(page.keyboard);
  let last = "";
  page.keyboard.press = async (key, ...rest) => {
    // A page that is closing has nothing to show.
    if (last !== GO) await page.evaluate(SHOWN).catch(() => undefined);
    last = key;
    await press(key, ...rest);
  };
}
const SHOWN = "new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))";

type Rules = "all" | "color-contrast" | "all but color-contrast" | "width";

/**
 * axe violations of the current page. axe is injected from outside, because the page's own policy would block it. Only
 * violations leave the page: describing every element that passed takes longer than the rules.
 */
export async function violations(page: Page, rules: Exclude<Rules, "width"> = "all"): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const options = {
    resultTypes: ["violations"],
    preload: false,
    ...(rules === "color-contrast" && { runOnly: [rules] }),
    ...(rules === "all but color-contrast" && { rules: { "color-contrast": { enabled: false } } }),
  };
  return page.evaluate<string[]>(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ": " + nodes[0]?.html))`,
  );
}

const ADAPTS_WITHIN_MS = 10_000;
/** The main part is wider than its place, or something of the header is beyond the edge. */
const OVERFLOWS = `(() => {
  const main = document.querySelector('main');
  const outside = [...document.querySelectorAll('header *')].some((one) => one.getBoundingClientRect().right > innerWidth + 1);
  return outside || document.documentElement.scrollWidth > innerWidth + 1 || main?.scrollWidth > main?.clientWidth + 1;
})()`;

/**
 * Violations of axe and misfits of one screen on a desktop in both themes, on a tablet and on a phone, with a screenshot of each. The dark
 * theme has the same elements in other colors, so there only the contrast can differ. The tablet has the same colors in
 * another layout. The phone has the layout of the tablet, so there only the width can be too small.
 */
export async function inspect(page: Page, name: string): Promise<string[]> {
  const desktop = page.viewportSize()!;
  const found = await look(page, name, "light");
  await page.emulateMedia({ colorScheme: "dark" });
  found.push(...(await look(page, name, "dark", "color-contrast")));
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 820, height: 1180 });
  found.push(...(await look(page, name, "tablet", "all but color-contrast")));
  await page.setViewportSize({ width: 390, height: 844 });
  found.push(...(await look(page, name, "phone", "width")));
  await page.setViewportSize(desktop);
  return found;
}

/** The same in another language, which changes no color, and the English that is left. */
export async function inspectSpanish(page: Page, name: string): Promise<string[]> {
  const desktop = page.viewportSize()!;
  const found = await look(page, name, "es", "all but color-contrast");
  await page.setViewportSize({ width: 390, height: 844 });
  found.push(...(await look(page, name, "es-phone", "width")));
  await page.setViewportSize(desktop);
  const language = await page.locator("html").getAttribute("lang");
  if (language !== "es") found.push(`html lang is ${language}`);
  return [...found, ...(await englishTexts(page))].map((fault) => `${name}: ${fault}`);
}

async function look(page: Page, name: string, as: string, rules?: Rules): Promise<string[]> {
  const faults = async () => [
    ...(rules === "width" ? [] : await violations(page, rules)),
    // The dark theme changes no text and no width.
    ...(rules === "color-contrast" ? [] : await misfits(page)),
    ...((await page.evaluate<boolean>(OVERFLOWS)) ? ["the content is wider than the screen"] : []),
  ];
  // The page adapts to a new size or theme within a few frames. A real fault stays.
  const end = Date.now() + ADAPTS_WITHIN_MS;
  let found = await faults();
  while (found.length > 0 && Date.now() < end) {
    await page.evaluate(SHOWN);
    found = await faults();
  }
  await shot(page, `${name}-${as}`);
  return found.map((fault) => `${as}: ${fault}`);
}

/** The address of the next document that the page opens in a new tab. A browser without a PDF viewer downloads it. */
export async function openedDocument(page: Page): Promise<string> {
  const context = page.context();
  const shown = context.waitForEvent("page").then(async (tab) => {
    await tab.waitForURL(/^blob:/);
    return tab.url();
  });
  const address = await Promise.race([shown, context.waitForEvent("download").then((download) => download.url())]);
  for (const tab of context.pages()) if (tab !== page) await tab.close();
  return address;
}

/** Saves a screenshot to look at, if asked to. */
export async function shot(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS) await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
}
