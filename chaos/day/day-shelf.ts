import type { Page } from "playwright-core";
import { productOf } from "../year/year-cast.ts";
import { type Bench, count } from "./day-bench.ts";
import type { DayBook, Units } from "./day-ledger.ts";

/** Opens the stock of an account at one product. */
async function openShelf({ base_url }: Bench, page: Page, account_id: string, sku: string): Promise<void> {
  await page.goto(`${base_url}/dashboard/stock?account_id=${account_id}&find=${sku}`);
  await page.getByRole("row", { name: productOf(sku).name }).waitFor();
}

/** A parcel came back: its units are booked, and most of them destroyed. A pharmacist destroys a controlled substance with a witness. */
export async function bringBack(bench: Bench, shipped: DayBook["shipped"][number]): Promise<void> {
  const { pharmacist: page, book } = bench;
  const { account_id, sku, order_number, lots } = shipped;
  await openShelf(bench, page, account_id, sku);
  await page.getByRole("button", { name: "Returned parcel" }).click();
  await page.getByLabel("Order number").fill(order_number);
  await page.keyboard.press("Enter");
  await page.getByText(new RegExp(`Order ${order_number}: .* returned\\.`)).waitFor();
  for (const one of lots) book.returned.push({ account_id, sku, ...one });
  const { lot, units } = lots[0]!;
  await destroy(bench, { account_id, sku, lot, units: units - 1 }, true);
  count(bench, "parcels that came back");
}

/** Destroys units of a lot from the list of lots. */
export async function destroy(bench: Bench, { account_id, sku, lot, units }: Units, returned: boolean): Promise<void> {
  const { pharmacist: page, book } = bench;
  await openShelf(bench, page, account_id, sku);
  await page.getByRole("button", { name: /^Lots/ }).click();
  const name = returned ? "Destroy returned" : "Destroy";
  await page.getByRole("row", { name: lot }).getByRole("button", { name, exact: true }).click();
  await page.getByLabel("Quantity destroyed").fill(String(units));
  if (productOf(sku).drug_schedule !== "0") {
    await page.getByLabel("Witness").selectOption({ index: 1 });
    await page.getByLabel("Note").fill("Crushed in front of both of us.");
  }
  await page.getByRole("button", { name: "Record destruction" }).click();
  await page.getByText(`${productOf(sku).name}: ${units} destroyed.`).waitFor();
  book.destroyed.push({ account_id, sku, lot, units, returned });
  count(bench, "destructions");
}
