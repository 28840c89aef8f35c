import { randomUUID } from "node:crypto";
import { readFileTable } from "../../server/src/domain/catalogue/file-table.ts";
import { heldUntil } from "../../server/src/domain/catalogue/held-price.ts";
import type { CatalogueKind } from "../../server/src/domain/catalogue/rows.ts";
import { shippingMethods } from "../../server/src/seed/cast.ts";
import { importCatalogue } from "../../server/src/usecases/catalogue/import-catalogue.ts";
import { countStock, receiveStock } from "../../server/src/usecases/catalogue/move-stock.ts";
import { readCatalogue } from "../../server/src/usecases/catalogue/read-catalogue.ts";
import { resolveException } from "../../server/src/usecases/fulfillment/steps.ts";
import { WorkRefusal } from "../../server/src/usecases/fulfillment/work-refusal.ts";
import { bookAdjustment } from "../../server/src/usecases/statements/book-adjustment.ts";
import { until } from "../until.ts";
import { count, dayOf } from "./year-book.ts";
import { drugs, productOf, scarce } from "./year-cast.ts";
import { between, chance, chanceOrFirst, nowOf, pick, type Year } from "./year-world.ts";

const PRICE_CHANGE = "price changes of a product";

/** What the pharmacy does between two moves of the clock. */
export async function runPharmacy(year: Year): Promise<void> {
  if (chanceOrFirst(year, PRICE_CHANGE, 0.08)) await changePrice(year);
  await moveStock(year);
  if (chance(year, 0.1)) await adjust(year);
}

/** A product or, seldom, a shipping method gets another price. */
async function changePrice(year: Year): Promise<void> {
  const { host, book } = year;
  const of_parcel = chance(year, 0.2);
  const { sku } = pick(year, drugs);
  const method = pick(year, shippingMethods);
  const of = of_parcel ? `method ${method.id}` : sku;
  const known = book.prices.get(of)!;
  const cents = Math.max(1, Math.round((known.at(-1)!.cents * between(year, 80, 130)) / 100));
  if (cents === known.at(-1)!.cents) return;
  const from = nowOf(year);
  const { on_hand_units: _, ...product } = productOf(sku);
  if (of_parcel) await importRow(year, "shipping_methods", { ...method, price_cents: cents });
  else await importRow(year, "products", { ...product, price_cents: cents });
  // The process learns it from the change bus.
  await until("the service has the new price", async () => {
    const { formulary } = await readCatalogue(host.deps, book.account_id);
    const now = of_parcel ? formulary.methods.get(method.id)?.price_cents : formulary.by_sku.get(sku)?.price_cents;
    return now === cents;
  });
  known.push({ from, surely_from: nowOf(year), cents });
  count(book, of_parcel ? "price changes of a shipping method" : PRICE_CHANGE);
}

/** By real time an earlier price is held for a while after the change (ADR 0060), and the whole year takes less. */
const longAgo = (now: Date) => new Date(2 * now.getTime() - heldUntil(now).getTime());

async function importRow({ host, book }: Year, kind: CatalogueKind, row: object): Promise<void> {
  const imported = await importCatalogue(
    host.deps.db,
    {
      owner: { account_id: book.account_id },
      kind,
      table: readFileTable(JSON.stringify([row])),
      source: "year.json",
      partial: true,
      dry_run: false,
    },
    longAgo(host.deps.now()),
  );
  if (imported.version === null) throw new Error(`the import failed: ${JSON.stringify(imported.faults)}`);
}

/** A shelf runs empty, and a delivery ends it some steps later. */
async function moveStock(year: Year): Promise<void> {
  const { host, book, shortages } = year;
  const { account_id } = book;
  for (const [sku, steps] of shortages) {
    if (steps > 0) {
      shortages.set(sku, steps - 1);
      continue;
    }
    shortages.delete(sku);
    await receiveStock(host.deps.db, { account_id, sku, units: 1_000_000, note: null }, host.deps.now());
    count(book, "deliveries of stock");
  }
  const sku = pick(year, scarce);
  if (shortages.has(sku) || !chance(year, 0.12)) return;
  const { rows } = await host.raw("select reserved_units from stock where account_id = $1 and sku = $2", [
    account_id,
    sku,
  ]);
  const units = Number(rows[0]!["reserved_units"]);
  await countStock(host.deps.db, { account_id, sku, units, note: "The shelf is empty." }, host.deps.now());
  shortages.set(sku, between(year, 1, 5));
  count(book, "shelves that ran empty");
}

/** A fee or a credit, today or on an earlier day of a month that is open. */
async function adjust(year: Year): Promise<void> {
  const { host, book } = year;
  const kind = chance(year, 0.5) ? ("fee" as const) : ("credit" as const);
  const orders = [...book.told.keys()];
  const order_number = orders.length > 0 && chance(year, 0.5) ? pick(year, orders) : null;
  const now = nowOf(year);
  const { TIME_ZONE: zone } = host.deps.config;
  const given = {
    account_id: book.account_id,
    kind,
    amount_cents: between(year, 1, 5_000),
    description: `A ${kind} of the year`,
    order_number,
    on: chance(year, 0.3) ? dayOf(now) : null,
    key: randomUUID(),
  };
  const { line_id, amount_cents } = await bookAdjustment({ db: host.deps.db, zone, now: host.deps.now() }, given);
  book.adjustments.push({ line_id, kind, amount_cents, order_number });
  count(book, `${kind}s of the pharmacy`);
}

/** A pharmacist ends a finding. Returns whether the service allowed it. */
export async function resolveAsPharmacist({ host, book }: Year, order_number: string, id: number): Promise<boolean> {
  const by = { person_id: "year-pharmacist", role: "pharmacist", license: "RPH-1" } as const;
  try {
    const work = { account_id: book.account_id, order_number, by };
    await resolveException(host.deps, work, id as never, "Called the prescriber.", "prescriber_consulted");
    return true;
  } catch (error) {
    if (!(error instanceof WorkRefusal)) throw error;
    return false;
  }
}
