import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Journey, type SignIn, startJourney } from "./support/journey.ts";

let journey: Journey;
let lead: SignIn;
beforeAll(async () => {
  journey = await startJourney();
  lead = await journey.person("lead");
});
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
