import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findBrowser } from "../scripts/browser.ts";
import { startTestApp, type TestApp } from "../server/test/support/test-app.ts";

const ARTIFACTS = fileURLToPath(new URL("../.artifacts/screenshots/", import.meta.url));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const QUIET = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startTestApp();
  const executablePath = findBrowser();
  if (executablePath === undefined) throw new Error("no Chromium: install Debian's package chromium, or set CHROMIUM");
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox", ...QUIET] });
  mkdirSync(ARTIFACTS, { recursive: true });
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

type Visit = { page: Page; foreign: string[]; complaints: string[] };

/** Opens a page of the real service and remembers what it asked elsewhere and what the browser complained about. */
async function visit(path: string, colorScheme: "light" | "dark"): Promise<Visit> {
  // axe is put in from outside, which the pages' own policy would refuse.
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme });
  const page = await context.newPage();
  const foreign: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(app.addresses.base_url) && !url.startsWith("data:")) foreign.push(url);
  });
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  const response = await page.goto(app.addresses.base_url + path);
  expect(response?.headers()["content-security-policy"]).toContain("default-src 'none'");
  return { page, foreign, complaints };
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations: found } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    "axe.run()",
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  test("the welcome page shows a ready service and its addresses", async () => {
    const { page, foreign, complaints } = await visit("/", theme);
    await page.getByText("Ready", { exact: true }).waitFor();
    for (const address of Object.values(app.addresses))
      await page.getByText(address, { exact: true }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: join(ARTIFACTS, `welcome-${theme}.png`) });
    expect([foreign, complaints]).toEqual([[], []]);
  });

  test("the API reference shows every operation, the webhooks and the error codes", async () => {
    const { page, foreign, complaints } = await visit("/docs", theme);
    await page.getByText("List the shipping methods").first().waitFor();
    const text = (await page.textContent("body")) ?? "";
    for (const name of ["/shipping_methods", "/simulate", "/oauth/token", "ORDER_EXCEPTION", "42227"])
      expect(text).toContain(name);
    expect(await violations(page)).toEqual([]);
    await page.screenshot({ path: join(ARTIFACTS, `docs-${theme}.png`) });
    expect([foreign, complaints]).toEqual([[], []]);
  });
});

test("a token pasted into the API reference calls the service", async () => {
  const { page, complaints } = await visit("/docs", "light");
  await page.getByRole("button", { name: "Authorize" }).first().click();
  await page
    .locator(".modal-ux input")
    .first()
    .fill(await app.token());
  await page.locator(".modal-ux button.authorize").first().click();
  await page.locator(".modal-ux button.btn-done").first().click();
  await page.getByText("List the brands").first().click();
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByRole("button", { name: "Execute" }).click();
  await page.getByText("Larkspur Calm").first().waitFor();
  await page.screenshot({ path: join(ARTIFACTS, "docs-try.png") });
  expect(complaints).toEqual([]);
});
