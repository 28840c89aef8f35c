import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { newOrder, placed } from "../server/test/support/orders.ts";
import { onePagePdf } from "../server/test/support/samples/labels.ts";
import { workplace } from "../server/test/support/workplace.ts";
import { inspect, type Journey, startJourney } from "./support/journey.ts";

/** Of the demo's partners, the one of production. The sandbox simulates its carrier. */
const PRODUCTION = 2;
let journey: Journey;
beforeAll(async () => {
  journey = await startJourney({ CARRIER: "manual" });
});
afterEach((after) => journey.closePages(after));
afterAll(() => journey?.stop());

test("a technician ships an order with the label of the pharmacy's own software", async () => {
  const { app } = journey;
  const shop = workplace(app, PRODUCTION);
  const { body } = await newOrder(app, { partner: PRODUCTION });
  const { order_number } = await shop.reach(await placed(app, body, { partner: PRODUCTION }), "Filling/pack");
  const technician = await journey.person("technician");
  const { page, complaints } = await journey.openAs(technician, `/dashboard/order/${shop.account_id}/${order_number}`, {
    environment: null,
  });
  await page.getByRole("heading", { level: 1, name: order_number }).waitFor();
  const number = page.getByLabel(/^Tracking number/);
  await number.fill("12");
  await page.getByRole("button", { name: "Save tracking number" }).click();
  await page
    .getByText(/tracking number/i)
    .and(page.getByRole("alert").locator("*"))
    .first()
    .waitFor();
  expect(await inspect(page, "dashboard-manual-label")).toEqual([]);

  // A scanner ends with Enter.
  await number.fill("9400 1118 9922 3197 4284 97");
  await page
    .getByLabel(/^Label file/)
    .setInputFiles({ name: "label.pdf", mimeType: "application/pdf", buffer: Buffer.from(onePagePdf) });
  await number.press("Enter");
  await page.getByText("USPS 9400111899223197428497").waitFor();
  await page.getByRole("button", { name: "Handed to carrier" }).click();
  // The step can be undone for ten seconds.
  const status = async () =>
    (await shop.rows("select order_status from orders where order_number = $1", order_number))[0]!["order_status"];
  await expect.poll(status, { timeout: 60_000 }).toBe("Shipped");
  expect(complaints).toEqual([]);
});
