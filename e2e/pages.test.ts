import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { signedIn } from "../server/test/support/web.ts";
import { type Journey, shot, startJourney, violations } from "./support/journey.ts";

const SANDBOX = "/portal/sandbox/sandbox";
let journey: Journey;
beforeAll(async () => {
  journey = await startJourney();
});
// An open page follows every change, also of later tests.
afterEach((after) => journey.closePages(after));
afterAll(() => journey?.stop());

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  // The dark theme has the same elements in other colors, and the reference has thousands of them.
  const rules = theme === "dark" ? "color-contrast" : "all";

  test("the welcome page shows a ready service and its addresses", async () => {
    const { page, foreign, complaints } = await journey.open("/", { theme });
    await page.getByText("Ready", { exact: true }).waitFor();
    for (const address of Object.values(journey.app.addresses))
      await page.getByText(address, { exact: true }).first().waitFor();
    expect(await violations(page, rules)).toEqual([]);
    await shot(page, `welcome-${theme}`);
    expect([foreign, complaints]).toEqual([[], []]);
  });

  test("the API reference shows every operation, all webhooks and all error codes", async () => {
    const { page, foreign, complaints } = await journey.open("/docs/api", { theme });
    await page.getByText("List the shipping methods").first().waitFor();
    const text = (await page.textContent("body")) ?? "";
    for (const name of ["/shipping_methods", "/simulate", "/oauth/token", "ORDER_EXCEPTION", "42227"])
      expect(text).toContain(name);
    expect(await violations(page, rules)).toEqual([]);
    await shot(page, `docs-${theme}`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.locator(".opblock-summary").first().click();
    await page.locator(".responses-table").first().waitFor();
    await page.getByRole("heading", { name: "Code samples" }).waitFor();
    expect(await violations(page, rules)).toEqual([]);
    await shot(page, `docs-phone-${theme}`);
    await expect.poll(() => page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    expect([foreign, complaints]).toEqual([[], []]);
  });
});

test("a signed-in developer tries an operation with the sandbox, without a secret, and the page shows no token", async () => {
  const sam = journey.app.demo.partners[0]!.portal;
  const hand = await signedIn(journey.app, sam);
  const { prescription_id } = (await hand.send("POST", `${SANDBOX}/prescriptions`, { preset: "simple" })).body;
  const { order_number } = (await hand.send("POST", `${SANDBOX}/orders`, { prescription_id })).body;

  const { page, foreign, complaints } = await journey.open("/docs/api");
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  const link = page.getByRole("link", { name: "Sign in to the portal" });
  expect([await link.getAttribute("href"), await link.getAttribute("target")]).toEqual(["/portal", "_blank"]);
  expect(loaded.filter((path) => path.includes("samples"))).toEqual([]);

  await page.goto(`${journey.app.addresses.base_url}/portal`);
  await page.getByLabel("Email").fill(sam.email);
  await page.getByLabel("Password").fill(sam.password);
  await page.keyboard.press("Enter");
  await page.locator("main#content").waitFor();
  await page.goto(`${journey.app.addresses.base_url}/docs/api`);
  await page.getByText("sandbox of Willow Telehealth").waitFor();
  // While Swagger UI draws the page, it can lose a click.
  await page.locator("#contents a").first().waitFor();
  const open = page.locator(".opblock.is-open");
  await expect
    .poll(async () => {
      if ((await open.count()) === 0) await page.getByText("List the orders", { exact: true }).first().click();
      return open.getByRole("heading", { name: "Code samples" }).count();
    })
    .toBe(1);
  await page.getByRole("button", { name: "Try it out" }).click();
  await page.getByRole("button", { name: "Execute" }).click();
  const live = page.locator(".live-responses-table");
  await live.getByText("200", { exact: true }).waitFor();
  expect(await live.textContent()).toContain(order_number);
  expect(await page.textContent("body")).not.toContain(`Bearer ${journey.app.demo.partners[0]!.account_id}_`);
  expect(await violations(page)).toEqual([]);
  await shot(page, "docs-try-signed-in");

  // One token for all requests.
  await page.getByRole("button", { name: "Execute" }).click();
  await expect.poll(() => loaded.filter((path) => path === "/orders").length).toBe(2);
  expect(loaded.filter((path) => path === `/web${SANDBOX}/token`).length).toBe(1);

  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [language, part] of [
    ["curl", 'Bearer $PESTLE_TOKEN"'],
    ["JavaScript", "pestle.orders.list().firstPage()"],
    ["Python", "requests.get("],
  ] as const) {
    await page.getByRole("button", { name: language, exact: true }).click();
    await page.locator(".samples button.copy").click();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toContain(part);
  }
  expect([foreign, complaints]).toEqual([[], []]);
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
