import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Journey, shot, startJourney, violations } from "./support/journey.ts";

let journey: Journey;
beforeAll(async () => {
  journey = await startJourney();
});
afterAll(() => journey?.stop());

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  test("the welcome page shows a ready service and its addresses", async () => {
    const { page, foreign, complaints } = await journey.open("/", { theme });
    await page.getByText("Ready", { exact: true }).waitFor();
    for (const address of Object.values(journey.app.addresses))
      await page.getByText(address, { exact: true }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await shot(page, `welcome-${theme}`);
    expect([foreign, complaints]).toEqual([[], []]);
  });

  test("the API reference shows every operation, all webhooks and all error codes", async () => {
    const { page, foreign, complaints } = await journey.open("/docs/api", { theme });
    await page.getByText("List the shipping methods").first().waitFor();
    const text = (await page.textContent("body")) ?? "";
    for (const name of ["/shipping_methods", "/simulate", "/oauth/token", "ORDER_EXCEPTION", "42227"])
      expect(text).toContain(name);
    expect(await violations(page)).toEqual([]);
    await shot(page, `docs-${theme}`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator(".opblock-summary").first().click();
    await page.locator(".responses-table").first().waitFor();
    await shot(page, `docs-phone-${theme}`);
    await expect.poll(() => page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect([foreign, complaints]).toEqual([[], []]);
  });
});

test("the API reference calls the service with a pasted token", async () => {
  const { page, complaints } = await journey.open("/docs/api");
  await page.getByRole("button", { name: "Authorize" }).first().click();
  await page
    .locator(".modal-ux input")
    .first()
    .fill(await journey.app.token());
  await page.locator(".modal-ux button.authorize").first().click();
  await page.locator(".modal-ux button.btn-done").first().click();
  await page.getByText("List the brands").first().click();
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByRole("button", { name: "Execute" }).click();
  await page.getByText("Larkspur Calm").first().waitFor();
  await shot(page, "docs-try");
  expect(complaints).toEqual([]);
});
