import type { Browser, Page } from "playwright-core";
import { pageOpener, type SignIn } from "../../e2e/support/open-page.ts";
import { createPerson } from "../../server/src/usecases/accounts/create-person.ts";
import { receiveStock } from "../../server/src/usecases/catalogue/move-stock.ts";
import { hashPassword } from "../../server/src/vault/password-hash.ts";
import { seededRandom } from "../random.ts";
import { newPatient, prescribe } from "../year/year-prescriber.ts";
import { type Host, openYear, type Year } from "../year/year-world.ts";
import { type Bench, count, type Placed, workOn } from "./day-bench.ts";
import { readFacts } from "./day-facts.ts";
import { type DayBook, dayFaults, unnoticed } from "./day-ledger.ts";
import { type DayPlan, planDay } from "./day-plan.ts";
import { bringBack, destroy } from "./day-shelf.ts";

export type DayRun = { orders: number; seed: number; onProgress?: (shipped: number) => void };
export type DayTally = {
  /** How often what happened. */
  seen: Record<string, number>;
  faults: string[];
  /** Numbers that the campaign broke on purpose, and whether the checks noticed. */
  unnoticed: string[];
};

/** Destroyed of the recalled lot. The rest stays in quarantine. */
const OF_RECALLED = 5;

/**
 * A day at the benches, in a real browser with a scanner: orders of several partners come through the API, every package is
 * scanned at fill and again at check, wrong ones are caught, a lot is recalled, and parcels come back. Then everything is added up.
 */
export async function playDay(host: Host, browser: Browser, { orders, seed, onProgress }: DayRun): Promise<DayTally> {
  const begin = host.deps.now();
  const plan = planDay(orders);
  const book: DayBook = { received: [], shipped: [], returned: [], destroyed: [], recalled: [], misses: [] };
  const seen: Record<string, number> = {};
  const faults: string[] = [];
  const random = seededRandom(seed);
  const years: Year[] = [];
  for (const [partner] of plan.lots.entries()) {
    years.push(await openYear(host, "api_driven", seededRandom(seed + partner), { units: 0 }));
  }
  await deliver(host, years, plan, book);
  const placed = await placeAll(years, plan);
  let serial = Math.floor(random() * 1_000_000);
  const opened = await openBenches(host, browser, years.length);
  const benches = opened.pages.map(
    (pages): Bench => ({
      ...{ ...pages, base_url: host.addresses.base_url, book, seen, faults },
      nextSerial: () => ++serial,
    }),
  );
  await Promise.all(
    benches.map(async (bench, nth) => {
      // Each partner has a bench of its own, so that two technicians never claim the same order.
      for (const one of placed.filter(({ partner }) => partner === nth)) {
        await workOn(bench, one);
        onProgress?.(book.shipped.length);
      }
    }),
  );
  await closeDay(benches[0]!, book);
  const facts = await readFacts(host, years, opened.lead, begin);
  faults.push(...years.flatMap((year) => year.book.faults), ...opened.complaints(), ...dayFaults(book, facts));
  if (book.shipped.length !== orders) faults.push(`${book.shipped.length} of ${orders} orders shipped`);
  return { seen, faults, unnoticed: unnoticed(book, facts) };
}

/** The wholesaler's boxes are put on the shelves, lot by lot. */
async function deliver({ deps }: Host, years: readonly Year[], { lots }: DayPlan, book: DayBook): Promise<void> {
  for (const [partner, shelves] of lots.entries()) {
    const { account_id } = years[partner]!.book;
    for (const { sku, lot, expires_on, units } of shelves) {
      await receiveStock(deps.db, { account_id, sku, units, note: null, lot: { lot, expires_on } }, deps.now());
      book.received.push({ account_id, sku, lot, units });
    }
  }
}

/** Prescribers write, and the partners order. */
async function placeAll(years: readonly Year[], { orders, lots }: DayPlan): Promise<Placed[]> {
  const placed: Placed[] = [];
  for (const [index, order] of orders.entries()) {
    const year = years[order.partner]!;
    const { prescription_id, patient } = await prescribe(year, newPatient(year, order.drug), order.drug);
    const { status, text, body } = await year.ask<{ order_number: string }>("/orders", {
      reference: `day ${index}`,
      shipping: order.drug.shipping,
      patient: { patient_id: patient.patient_id },
      items: [{ prescription_id }],
    });
    if (status !== 201) throw new Error(`an order got ${status}: ${text}`);
    placed.push({ ...order, year, order_number: body.order_number, shelves: lots[order.partner]! });
  }
  return placed;
}

const PASSWORD = "a long enough password";
const PASSWORD_COST = 10;
const LICENSE = { license_number: "RPH-3001", license_state: "CA", license_expires_on: "2199-12-31" };

/** Creates the day's people and signs them in, each in a browser of their own. A bench has a technician and a pharmacist. */
async function openBenches({ deps, addresses }: Host, browser: Browser, benches: number) {
  const password_hash = hashPassword(PASSWORD, PASSWORD_COST);
  const { openAs } = pageOpener(browser, addresses.base_url);
  const complaints: (() => string[])[] = [];
  const signIn = async (role: string, name: string): Promise<Page> => {
    const who: SignIn = { email: `${name.toLowerCase().replace(" ", ".")}@day.example`, password: PASSWORD };
    const row = {
      email: who.email,
      name,
      role,
      partner_id: null,
      password_hash,
      ...(role !== "technician" && LICENSE),
    };
    await deps.db.transaction((tx) => createPerson(tx, row, deps.now()));
    const { page, ...seen } = await openAs(who, "/dashboard");
    // The slip and the label open in tabs of their own.
    page.context().on("page", (tab) => void tab.close().catch(() => undefined));
    complaints.push(() => [...seen.foreign, ...seen.complaints].map((one) => `${name}'s browser: ${one}`));
    return page;
  };
  const pages: { technician: Page; pharmacist: Page }[] = [];
  for (let nth = 1; nth <= benches; nth++) {
    const technician = await signIn("technician", `Tess ${nth}`);
    pages.push({ technician, pharmacist: await signIn("pharmacist", `Phil ${nth}`) });
  }
  const lead = await signIn("lead", "Lea Dorn");
  return { pages, lead, complaints: () => complaints.flatMap((told) => told()) };
}

/** One parcel of each kind of product comes back, and some of the recalled lot is destroyed. */
async function closeDay(bench: Bench, book: DayBook): Promise<void> {
  const [plain, controlled] = ["atorvastatin-20", "zolpidem-5"].map((sku) =>
    book.shipped.find((one) => one.sku === sku && one.lots.every(({ lot }) => !book.recalled.includes(lot))),
  );
  for (const shipped of [plain, controlled]) if (shipped !== undefined) await bringBack(bench, shipped);
  const recalled = book.received.find(({ lot }) => book.recalled.includes(lot));
  if (recalled !== undefined) await destroy(bench, { ...recalled, units: OF_RECALLED }, false);
  count(bench, "days closed");
}
