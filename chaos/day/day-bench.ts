import { type ProductMiss, productMisses } from "@pestle/contract";
import type { Page } from "playwright-core";
import type { Year } from "../year/year-world.ts";
import { gs1Code, scan, tornCode, type Wedge, wedges } from "./day-codes.ts";
import type { DayBook } from "./day-ledger.ts";
import { type DayLot, type DayOrder, foreignTo, ndcOf } from "./day-plan.ts";

/** A technician and a pharmacist, each with a browser, at work on the orders of some partners. */
export type Bench = {
  base_url: string;
  technician: Page;
  pharmacist: Page;
  book: DayBook;
  seen: Record<string, number>;
  faults: string[];
  nextSerial: () => number;
};
/** An order with its partner's account and shelves. */
export type Placed = DayOrder & { year: Year; order_number: string; shelves: readonly DayLot[] };
type Taken = { lot: string; expires_on: string; units: number };

export const count = ({ seen }: Pick<Bench, "seen">, what: string): void => {
  seen[what] = (seen[what] ?? 0) + 1;
};

/** From the review to the carrier. */
export async function workOn(bench: Bench, placed: Placed): Promise<void> {
  await approve(bench, placed);
  let taken = await fill(bench, placed);
  if (placed.recall) taken = await recallAndRefill(bench, placed, taken);
  await check(bench, placed, taken);
  await ship(bench, placed);
  const { account_id } = placed.year.book;
  const lots = taken.map(({ lot, units }) => ({ lot, units }));
  bench.book.shipped.push({ account_id, order_number: placed.order_number, sku: placed.drug.sku, lots });
}

/** Follows a link of the dashboard, or loads the page again if the order is on it already. */
const open = async ({ base_url }: Bench, page: Page, { year, order_number }: Placed) => {
  const address = `${base_url}/dashboard/order/${year.book.account_id}/${order_number}`;
  if (page.url() === address) await page.goto(address);
  else await page.evaluate(`history.pushState(null, "", "${address}"); dispatchEvent(new PopStateEvent("popstate"));`);
  await page.getByRole("heading", { level: 1, name: order_number }).waitFor();
};
/** Sends the step that can still be undone, and waits for what the page says. */
async function send(page: Page, said: string | RegExp): Promise<void> {
  await page.getByRole("button", { name: "Undo" }).waitFor();
  // The page can still show what it said about an earlier order.
  const answered = page.waitForResponse(/\/work$/);
  await page.keyboard.press("s");
  await answered;
  await page.getByText(said).first().waitFor();
}
const wedgeOf = (serial: number): Wedge => wedges[serial % wedges.length]!;

async function approve(bench: Bench, placed: Placed): Promise<void> {
  const { pharmacist: page } = bench;
  await open(bench, page, placed);
  await page.getByRole("button", { name: /Approve review/ }).waitFor();
  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  await send(page, "Approved.");
}

/** Opens the order, and returns the packages that the page tells the technician to take. */
async function openFill(bench: Bench, placed: Placed): Promise<Taken[]> {
  const { technician: page } = bench;
  await open(bench, page, placed);
  const text = await page.getByText(/^Take first: /).innerText();
  return [...text.matchAll(/([\d.]+) of lot (\S+), expires/g)].map(([, units, lot]) => ({
    lot: lot!,
    expires_on: placed.shelves.find((one) => one.lot === lot)!.expires_on,
    units: Number(units),
  }));
}

/** Scans a package of each lot into its field. */
async function scanInto(bench: Bench, placed: Placed, taken: readonly Taken[]): Promise<void> {
  const { technician: page } = bench;
  for (const [at, { lot, expires_on }] of taken.entries()) {
    if (at > 0) {
      await page.getByRole("button", { name: "Add another lot" }).click();
      await page.getByLabel("Lot").nth(at).waitFor();
    }
    await page.getByLabel("Lot").nth(at).focus();
    const serial = bench.nextSerial();
    await scan(page, gs1Code({ ndc: ndcOf(placed.drug.sku), lot, expires_on, serial: `${serial}` }), wedgeOf(serial));
    await until(page, () => page.getByLabel("Lot").nth(at).inputValue(), new RegExp(`^${lot}$`));
    count(bench, "packages scanned at fill");
  }
  if (taken.length > 1) {
    for (const [at, { units }] of taken.entries()) await page.getByLabel("Units").nth(at).fill(String(units));
    count(bench, "orders filled from two lots");
  }
}

/** Without a focus, the body has it. */
const FOCUSED = "document.activeElement?.closest('button')?.textContent ?? ''";
/** The page shows this within a few frames. */
async function until(page: Page, look: () => Promise<string>, expected: RegExp): Promise<void> {
  const end = Date.now() + 60_000;
  while (!expected.test(await look())) {
    if (Date.now() > end) throw new Error(`the page has ${await look()} in place of ${expected}`);
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))");
  }
}

async function fill(bench: Bench, placed: Placed): Promise<Taken[]> {
  const taken = await openFill(bench, placed);
  if (placed.wrong !== null && placed.wrong !== "other lot at check") {
    await wrongAtFill(bench, placed, placed.wrong, taken[0]!);
    await open(bench, bench.technician, placed);
  }
  await scanInto(bench, placed, taken);
  await complete(bench, taken.length, "Ready for product check.");
  return taken;
}

/** Enter once more, after the scanner's own, confirms. With several lots, the technician presses the button. */
async function complete({ technician: page }: Bench, lots: number, said: string): Promise<void> {
  if (lots > 1) await page.getByRole("button", { name: "Complete fill" }).click();
  else await page.keyboard.press("Enter");
  await send(page, said);
}

/** What the page says, and what the service writes down. */
const AT_FILL = {
  "foreign product": ["The scanned product is not part of this order.", "wrong_product"],
  "torn code": ["The code is incomplete or damaged. Scan it again, or type the NDC.", null],
  "expired lot": ["The package has expired.", "lot_expired"],
} as const satisfies Record<string, readonly [string, ProductMiss | null]>;

async function wrongAtFill(bench: Bench, placed: Placed, wrong: keyof typeof AT_FILL, good: Taken): Promise<void> {
  const { technician: page } = bench;
  const serial = bench.nextSerial();
  const own = { ndc: ndcOf(placed.drug.sku), lot: good.lot, expires_on: good.expires_on };
  const codes: Record<keyof typeof AT_FILL, string> = {
    "foreign product": gs1Code({ ...own, ndc: ndcOf(foreignTo(placed.drug)), serial: `${serial}` }),
    "torn code": tornCode(own),
    "expired lot": gs1Code({ ...own, lot: "OLD-1", expires_on: "2024-01-31", serial: `${serial}` }),
  };
  const [said, miss] = AT_FILL[wrong];
  await refused(bench, placed, wrong, miss, async () => {
    await page.getByLabel("Lot").first().focus();
    await scan(page, codes[wrong], wedgeOf(serial));
    if (wrong === "expired lot") await complete(bench, 1, said);
    else await page.getByText(said).waitFor();
  });
}

/** A wrong package, which the page must refuse. Nothing may be booked, and the service writes the miss down. */
async function refused(
  bench: Bench,
  placed: Placed,
  what: string,
  miss: ProductMiss | null,
  attempt: () => Promise<void>,
): Promise<void> {
  const before = await booked(placed);
  const misses = await missesOf(placed);
  await attempt();
  const expected = misses + (miss === null ? 0 : 1);
  // The page reports what it refused by itself after it has told the person.
  const end = Date.now() + 60_000;
  while ((await missesOf(placed)) < expected && Date.now() < end) await bench.technician.evaluate("Promise.resolve()");
  const after = await booked(placed);
  if (after !== before) bench.faults.push(`${placed.order_number}: ${what} changed ${before} to ${after}`);
  if (miss !== null) bench.book.misses.push({ order_number: placed.order_number, what: productMisses[miss] });
  count(bench, `caught: ${what}`);
}

const BOOKED = `
select o.order_status, o.stage, o.revision,
  (select count(*) from stock_entry e where e.account_id = $1) as entries,
  (select json_agg(l order by sku, lot) from stock_lot l where l.account_id = $1) as lots,
  (select json_agg(l order by item_id, lot) from item_lot l where l.account_id = $1 and l.order_number = $2) as item_lots
from orders o
where o.account_id = $1 and o.order_number = $2`;
const booked = async ({ year, order_number }: Placed): Promise<string> =>
  JSON.stringify((await year.host.raw(BOOKED, [year.book.account_id, order_number])).rows);
const missesOf = async ({ year, order_number }: Placed): Promise<number> =>
  (
    await year.host.raw("select from product_miss where account_id = $1 and order_number = $2", [
      year.book.account_id,
      order_number,
    ])
  ).count;

/** The lot is recalled while the order is filled from it. The order must not go on, and the lot not be used again. */
async function recallAndRefill(bench: Bench, placed: Placed, taken: Taken[]): Promise<Taken[]> {
  const { pharmacist, technician, base_url, book } = bench;
  const { lot } = taken[0]!;
  await pharmacist.goto(`${base_url}/dashboard/recall?lot=${encodeURIComponent(lot)}`);
  await pharmacist.getByRole("row", { name: new RegExp(`${placed.order_number}.*Not yet`) }).waitFor();
  await pharmacist.getByRole("button", { name: "Quarantine lot" }).click();
  await pharmacist.getByText("This lot is in quarantine.").waitFor();
  const { rows } = await placed.year.host.raw(
    "select on_hand_units::int as units from stock_lot where account_id = $1 and lot = $2",
    [placed.year.book.account_id, lot],
  );
  const units = Number(rows[0]!["units"]).toLocaleString("en-US");
  const shelf = pharmacist.getByRole("table", { name: "Units of this lot, by product" });
  await shelf.getByRole("row", { name: new RegExp(`${units}.*In quarantine`) }).waitFor();
  book.recalled.push(lot);
  count(bench, "recalls");

  const said = /This lot is recalled/;
  await refused(bench, placed, "a filled order of a recalled lot at check", "lot_recalled", async () => {
    await open(bench, pharmacist, placed);
    await scanAtCheck(bench, placed, taken);
    await pharmacist.keyboard.press("Enter");
    await send(pharmacist, said);
  });
  await pharmacist.getByRole("button", { name: "Send back to fill" }).click();
  await pharmacist.getByRole("dialog").getByRole("textbox").fill("The lot is recalled.");
  await pharmacist.getByRole("dialog").getByRole("button", { name: "Send back" }).click();
  await pharmacist.getByText("Sent back to fill.").waitFor();

  const suggested = await openFill(bench, placed);
  if (suggested.some((one) => one.lot === lot)) bench.faults.push(`the page suggests the recalled lot ${lot}`);
  await refused(bench, placed, "a recalled lot at fill", "lot_recalled", async () => {
    await scanInto(bench, placed, taken);
    await complete(
      bench,
      taken.length,
      "This lot is recalled. Put the package aside, and fill the order from another lot.",
    );
  });
  await open(bench, technician, placed);
  await scanInto(bench, placed, suggested);
  await complete(bench, suggested.length, "Ready for product check.");
  return suggested;
}

/** Scans a package of each lot. Of two, the first one twice. */
async function scanAtCheck(bench: Bench, placed: Placed, taken: readonly Taken[]): Promise<void> {
  const { pharmacist: page } = bench;
  const ndc = ndcOf(placed.drug.sku);
  await page.getByLabel("Scan a package").waitFor();
  for (const [at, { lot, expires_on }] of taken.entries()) {
    const serial = bench.nextSerial();
    const code = gs1Code({ ndc, lot, expires_on, serial: `${serial}` });
    await scan(page, code, wedgeOf(serial));
    count(bench, "packages scanned at check");
    if (at > 0 || taken.length === 1) continue;
    await refused(bench, placed, "doubled package", null, async () => {
      await page.getByRole("listitem").filter({ hasText: lot }).getByText("Scanned", { exact: true }).waitFor();
      await scan(page, code, wedgeOf(serial));
      await page.getByText("This package is already scanned.").waitFor();
    });
  }
  await page.getByText("All packages match.").waitFor();
  await until(page, () => page.evaluate<string>(FOCUSED), /Verify and continue/);
}

async function check(bench: Bench, placed: Placed, taken: readonly Taken[]): Promise<void> {
  const { pharmacist: page } = bench;
  await open(bench, page, placed);
  if (placed.wrong === "other lot at check") {
    const { expires_on } = taken[0]!;
    const lot = "ZZ-9";
    await refused(bench, placed, placed.wrong, "other_lot", async () => {
      const serial = bench.nextSerial();
      await page.getByLabel("Scan a package").waitFor();
      await scan(page, gs1Code({ ndc: ndcOf(placed.drug.sku), lot, expires_on, serial: `${serial}` }), wedgeOf(serial));
      await page
        .getByText(`This package is from lot ${lot}, but the order was filled from lot ${taken[0]!.lot}.`)
        .waitFor();
    });
  }
  await scanAtCheck(bench, placed, taken);
  await page.keyboard.press("Enter");
  await send(page, "Check complete. Ready to pack.");
}

async function ship(bench: Bench, placed: Placed): Promise<void> {
  const { technician: page } = bench;
  await open(bench, page, placed);
  await page.getByText("To print").waitFor();
  await page.keyboard.press("P");
  // Once the label is printed, the next step has the focus.
  await until(page, () => page.evaluate<string>(FOCUSED), /Handed to carrier/);
  await page.keyboard.press("Enter");
  await send(page, "Shipped. The payment is charged.");
  count(bench, "orders shipped");
}
