import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Journey, type SignIn, startJourney } from "./support/journey.ts";

let journey: Journey;
let lead: SignIn;
beforeAll(async () => {
  journey = await startJourney();
  lead = await journey.person("lead");
});
// An open page follows every change, also of later tests.
afterEach((after) => journey.closePages(after));
afterAll(() => journey?.stop());

const inQueue = (page: Page, queue: string) =>
  expect.poll(() => new URL(page.url()).pathname).toBe(`/dashboard/queue/${queue}`);

test("two keys in a row count even if the page is too busy to handle them in time", async () => {
  const { page } = await journey.openAs(lead, "/dashboard");
  await page.keyboard.press("g");
  const busy = page.evaluate("for (const end = Date.now() + 4000; Date.now() < end; );");
  await page.keyboard.press("p");
  await busy;
  await inQueue(page, "pack");
});

test("keys pressed while the page loads take effect once it has loaded", async () => {
  const { page } = await journey.openAs(lead, "/dashboard");
  await page.route("**/web/session", async (route) => {
    await pressed;
    await route.continue();
  });
  let go = () => {};
  const pressed = new Promise<void>((resolve) => {
    go = resolve;
  });
  const asked = page.waitForRequest("**/web/session");
  await page.reload({ waitUntil: "commit" });
  await asked;
  await page.keyboard.press("g");
  await page.keyboard.press("p");
  go();
  await inQueue(page, "pack");
});

/** Kilobytes of script and style of this visit, as the service sent them; the browser's cache counts too. */
const CODE_KB = `performance.getEntriesByType("resource")
  .filter(({ name }) => /\\/assets\\/.*\\.(js|css)$/.test(name))
  .reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0) / 1000`;

test("a menu works with the keyboard, its code is not part of the first load, and letters act on no page", async () => {
  const { page, complaints } = await journey.openAs(lead, "/dashboard");
  await page.getByRole("heading", { level: 1 }).waitFor();
  const first_kb = await page.evaluate<number>(CODE_KB);
  // What people really load, besides what the build counts.
  expect(first_kb).toBeGreaterThan(60);
  expect(first_kb).toBeLessThan(170);
  const button = page.getByRole("button", { name: "Theme" });
  await button.focus();
  await page.keyboard.press("ArrowDown");
  const focused = page.locator(":focus");
  const isAt = (name: string) => expect.poll(() => focused.innerText(), { timeout: 60_000 }).toBe(name);
  await isAt("System");
  expect(await page.evaluate<number>(CODE_KB)).toBeGreaterThan(first_kb);
  await page.keyboard.press("End");
  await isAt("Dark");
  // `?` opens the list of shortcuts elsewhere on the page.
  await page.keyboard.press("?");
  await page.keyboard.press("l");
  await isAt("Light");
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  await expect.poll(() => button.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await isAt("System");
  await page.keyboard.press("ArrowUp");
  await isAt("Dark");
  await page.keyboard.press("Enter");
  await page.locator("html[data-theme=dark]").waitFor();
  expect([await page.getByRole("dialog").count(), complaints]).toEqual([0, []]);
});
