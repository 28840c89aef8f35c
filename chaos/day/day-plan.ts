import { type Drug, drugs, productOf } from "../year/year-cast.ts";

/** A lot on a shelf of one partner. */
export type DayLot = { sku: string; lot: string; expires_on: string; units: number };

/** A wrong package at one of the benches. */
type Wrong = "foreign product" | "torn code" | "expired lot" | "other lot at check";
const WRONG: readonly Wrong[] = ["foreign product", "torn code", "expired lot", "other lot at check"];

export type DayOrder = { partner: number; drug: Drug; wrong: Wrong | null; recall: boolean };
export type DayPlan = { orders: DayOrder[]; lots: DayLot[][] };

/** The packages of the day have an NDC that fits into a GTIN. One of them is a controlled substance. */
const dayDrugs = ["atorvastatin-20", "zolpidem-5", "sertraline-50", "finasteride-1"].map(
  (sku) => drugs.find((one) => one.sku === sku && one.written_qty === 30)!,
);
/** As many orders between two rounds of wrong packages. */
const WRONG_EVERY = 50;
/** More than a year away, so that the packages outlast every supply. */
const EARLIER = "2099-05-31";
const LATER = "2099-11-30";
/** Every shelf's first lot ends in the middle of an order. */
const PART = 20;
const SPARE = 40;

/** Who orders what, which lots are on the shelves, and what goes wrong. */
export function planDay(count: number): DayPlan {
  const partners = count < 40 ? 2 : 4;
  const offered = dayDrugs.slice(0, count < 40 ? 2 : 4);
  const orders = Array.from({ length: count }, (_, index): DayOrder => {
    const partner = index % partners;
    const drug = offered[Math.floor(index / partners) % offered.length]!;
    return { partner, drug, wrong: WRONG[index % WRONG_EVERY] ?? null, recall: false };
  });
  // A lot is recalled after half of its shelf's orders.
  const shelf = ordersOf(orders, 0, offered[0]!);
  const recalled = shelf[Math.floor(shelf.length / 2)];
  if (recalled === undefined) throw new Error("a day has orders");
  recalled.recall = true;
  recalled.wrong = null;
  const lots = Array.from({ length: partners }, (_, partner) =>
    offered.flatMap((drug, at) => {
      const own = ordersOf(orders, partner, drug);
      const all = own.length * drug.written_qty;
      const first = own.includes(recalled) ? all : Math.floor(own.length / 2) * drug.written_qty + PART;
      const name = `${String.fromCharCode(65 + partner)}${at + 1}`;
      return [
        { sku: drug.sku, lot: `${name}-1117`, expires_on: EARLIER, units: first },
        { sku: drug.sku, lot: `${name}/2110.X`, expires_on: LATER, units: all + SPARE },
      ];
    }),
  );
  return { orders, lots };
}

const ordersOf = (orders: readonly DayOrder[], partner: number, { sku }: Drug) =>
  orders.filter((one) => one.partner === partner && one.drug.sku === sku);

export const ndcOf = (sku: string): string => productOf(sku).ndc!;
/** A product that an order does not have. */
export const foreignTo = ({ sku }: Drug): string => (sku === "sertraline-50" ? "finasteride-1" : "sertraline-50");
