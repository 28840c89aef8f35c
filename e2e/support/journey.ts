import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import type { TestContext } from "vitest";
import { createPerson } from "../../server/src/usecases/accounts/create-person.ts";
import { hashPassword } from "../../server/src/vault/password-hash.ts";
import { startTestApp, TEST_PASSWORD_COST, type TestApp } from "../../server/test/support/test-app.ts";
import { licenseFor } from "../../server/test/support/web.ts";
import { englishTexts } from "./english-texts.ts";
import { misfits } from "./misfits.ts";
import { launchBrowser, type Opener, pageOpener, SHOWN, type SignIn } from "./open-page.ts";

export type { Seen, SignIn } from "./open-page.ts";

const ARTIFACTS = fileURLToPath(new URL("../../.artifacts/screenshots/", import.meta.url));
/** `SCREENSHOTS=1`: without a GPU a picture costs as much as all rules of axe but one. */
const SCREENSHOTS = process.env["SCREENSHOTS"] === "1";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export type Journey = Opener & {
  app: TestApp;
  browser: Browser;
  stop(): Promise<void>;
  /** After a failed test it prints what each page showed. */
  closePages(after?: Pick<TestContext, "task">): Promise<void>;
  /** Creates a user who can sign in. */
  person(role: string, name?: string, partner_id?: string | null): Promise<SignIn>;
};

const PASSWORD = "a long enough password";
/** Slow to create, so it is created once. */
let password_hash: string | undefined;

/** The real service and a real browser. */
export async function startJourney(env: Record<string, string> = {}): Promise<Journey> {
  const app = await startTestApp({ unlimited: true, env });
  const browser = await launchBrowser();
  mkdirSync(ARTIFACTS, { recursive: true });
  let people = 0;
  return {
    app,
    browser,
    ...pageOpener(browser, app.addresses.base_url),
    async person(role, name = `A ${role}`, partner_id = null) {
      people += 1;
      const email = `${role}-${people}@people.example`;
      password_hash ??= hashPassword(PASSWORD, TEST_PASSWORD_COST);
      const row = { email, name, role, partner_id, password_hash, ...licenseFor(role) };
      await app.deps.db.transaction((tx) => createPerson(tx, row, app.deps.now()));
      return { email, password: PASSWORD };
    },
    async closePages(after) {
      if (after?.task.result?.state === "fail") await printPages(browser);
      for (const context of browser.contexts()) await context.close();
    },
    async stop() {
      await browser.close();
      await app.stop();
    },
  };
}

const PRINTED_CHARACTERS = 2_000;

async function printPages(browser: Browser): Promise<void> {
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    const text = await page.evaluate<string>("document.body.innerText").catch((error: Error) => error.message);
    console.error(`${page.url()} showed:\n${text.slice(0, PRINTED_CHARACTERS)}\n`);
  }
}

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
