import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type FillItem,
  type GivenLot,
  matchScans,
  suggestLots,
  takeLots,
} from "../../../src/domain/fulfillment/item-lots.ts";

const TODAY = "2027-03-01";
const RUNS = { seed: 20_261_118, numRuns: 300 };

const lot = (
  name: string,
  expires_on: string,
  on_hand_units: number,
  more: { filled_units?: number; recalled?: boolean } = {},
) => ({
  lot: name,
  expires_on,
  on_hand_units,
  filled_units: 0,
  recalled: false,
  ...more,
});
const given = (name: string, units: number, expires_on = "2029-01-31"): GivenLot => ({ lot: name, expires_on, units });
const item = (units: number, days: number | null = 30): FillItem => ({ item_id: 1, sku: "a", units, days });

describe("the suggestion", () => {
  const rows: [string, ReturnType<typeof lot>[], number, [string, number][]][] = [
    ["takes the first to expire", [lot("B", "2028-02-01", 90), lot("A", "2028-01-01", 90)], 30, [["A", 30]]],
    [
      "goes on with the next",
      [lot("B", "2028-02-01", 90), lot("A", "2028-01-01", 10)],
      30,
      [
        ["A", 10],
        ["B", 20],
      ],
    ],
    [
      "leaves out what filled orders have",
      [lot("A", "2028-01-01", 30, { filled_units: 25 }), lot("B", "2028-02-01", 90)],
      30,
      [
        ["A", 5],
        ["B", 25],
      ],
    ],
    [
      "leaves out a recalled lot",
      [lot("A", "2028-01-01", 30, { recalled: true }), lot("B", "2028-02-01", 90)],
      30,
      [["B", 30]],
    ],
    ["leaves out an expired lot", [lot("A", TODAY, 30), lot("B", "2028-02-01", 90)], 30, [["B", 30]]],
    [
      "leaves out a lot that does not outlast the supply",
      [lot("A", "2027-03-30", 30), lot("B", "2027-03-31", 90)],
      30,
      [["B", 30]],
    ],
    ["is shorter than the item if the rest has no known lot", [lot("A", "2028-01-01", 10)], 30, [["A", 10]]],
    ["is empty without lots", [], 30, []],
    [
      "orders lots of one date by name",
      [lot("B", "2028-01-01", 10), lot("A", "2028-01-01", 10)],
      15,
      [
        ["A", 10],
        ["B", 5],
      ],
    ],
  ];
  test.each(rows)("%s", (_name, lots, units, expected) => {
    expect(suggestLots(lots, item(units), TODAY).map((one) => [one.lot, one.units])).toEqual(expected);
  });

  test("has at most ten lots", () => {
    const lots = Array.from({ length: 12 }, (_, at) => lot(`L${String(at).padStart(2, "0")}`, "2028-01-01", 1));
    expect(suggestLots(lots, item(12), TODAY)).toHaveLength(10);
  });
});

describe("a fill", () => {
  /** 40 units of A, 20 of B, 10 units without a known lot. */
  const shelf = {
    sku: "a",
    on_hand_units: 70,
    lot_units: 60,
    loose_filled_units: 0,
    lots: [lot("A", "2028-01-01", 40), lot("B", "2029-01-31", 20)],
  };
  const take = (units: number, lots: GivenLot[], more: { loose_filled_units?: number; elsewhere?: string } = {}) => {
    const { elsewhere, ...changed } = more;
    const others = elsewhere === undefined ? [] : [{ sku: "b", lot: elsewhere }];
    const decided = takeLots([{ item: item(units), lots }], [{ ...shelf, ...changed }], others, TODAY);
    return "refused" in decided
      ? decided.refused
      : decided.taken.get(1)!.map((one) => [one.lot, one.units, one.shelf_units]);
  };
  const A = (units: number) => given("A", units, "2028-01-01");
  const rows: [string, number, GivenLot[], unknown, Parameters<typeof take>[2]?][] = [
    ["takes a lot from its shelf", 30, [A(30)], [["A", 30, 30]]],
    ["ignores the spelling of a lot", 30, [given("a", 30, "2028-01-01")], [["a", 30, 30]]],
    [
      "takes two lots, the first to expire first",
      50,
      [given("B", 10), A(40)],
      [
        ["A", 40, 40],
        ["B", 10, 10],
      ],
    ],
    ["takes the rest of a lot from the stock without one", 50, [A(50)], [["A", 50, 40]]],
    ["takes an unknown lot from the stock without one", 10, [given("X", 10)], [["X", 10, 0]]],
    ["takes no more than the lot and the stock without one have", 51, [A(51)], "lot_used_up"],
    ["takes no unknown lot if all stock has a lot", 11, [given("X", 11)], "lot_not_on_shelf"],
    ["leaves other filled orders their units", 10, [given("X", 10)], "lot_not_on_shelf", { loose_filled_units: 1 }],
    ["refuses a lot of another product", 10, [given("X", 10)], "lot_other_product", { elsewhere: "X" }],
    ["takes a lot that both products have", 10, [A(10)], [["A", 10, 10]], { elsewhere: "A" }],
    ["refuses another date than the shelf's", 30, [given("A", 30, "2028-01-31")], "lot_other_date"],
    ["refuses an expired lot", 30, [given("X", 30, TODAY)], "lot_expired"],
    ["refuses a lot that is used up too late", 30, [given("X", 30, "2027-03-30")], "lot_too_short"],
    ["refuses a lot named twice", 30, [A(10), given("a", 20, "2028-01-01")], "lot_twice"],
    ["refuses too few units", 30, [A(29)], "lot_units"],
    ["refuses too many units", 30, [A(29), given("B", 2)], "lot_units"],
    ["refuses no units", 30, [A(30), given("B", 0)], "lot_units"],
    ["refuses units below zero", 30, [A(31), given("B", -1)], "lot_units"],
    ["refuses a fraction that no scale shows", 30, [A(29.9995), given("B", 0.0005)], "lot_units"],
    ["refuses a missing lot", 30, [], "lot_missing"],
    ["refuses an empty lot", 30, [given("", 30)], "lot_missing"],
    ["refuses a date that does not exist", 30, [given("A", 30, "2028-02-30")], "lot_missing"],
    ["refuses eleven lots", 11, Array.from({ length: 11 }, (_, at) => given(`L${at}`, 1)), "lots_too_many"],
  ];
  test.each(rows)("%s", (_name, units, lots, expected, more) => {
    expect(take(units, lots, more)).toEqual(expected);
  });

  test("of two lines shares the shelf", () => {
    const lines = [1, 2].map((item_id) => ({ item: { ...item(25), item_id }, lots: [A(25)] }));
    const decided = takeLots(lines, [shelf], [], TODAY);
    expect("taken" in decided && [...decided.taken.values()].flat().map((one) => one.shelf_units)).toEqual([25, 15]);
    const third = { item: { ...item(1), item_id: 3 }, lots: [A(1)] };
    expect(takeLots([...lines, third], [shelf], [], TODAY)).toEqual({ refused: "lot_used_up" });
  });

  test("accepts every suggestion that covers the item", () => {
    const shelves = fc.array(
      fc.record({
        on_hand_units: fc.integer({ min: 1, max: 40 }),
        expires_on: fc.constantFrom("2027-02-01", "2027-03-15", "2027-04-15", "2028-01-01", "2029-01-01"),
        recalled: fc.boolean(),
      }),
      { maxLength: 9 },
    );
    fc.assert(
      fc.property(shelves, fc.integer({ min: 1, max: 100 }), (made, units) => {
        const lots = made.map((one, at) => ({ ...one, lot: `L${at}`, filled_units: 0 }));
        const lot_units = lots.reduce((sum, one) => sum + one.on_hand_units, 0);
        const own = { sku: "a", on_hand_units: lot_units, lot_units, loose_filled_units: 0, lots };
        const suggested = suggestLots(lots, item(units), TODAY);
        const sum = suggested.reduce((total, one) => total + one.units, 0);
        const decided = takeLots([{ item: item(units), lots: suggested }], [own], [], TODAY);
        expect("taken" in decided).toBe(sum === units);
      }),
      RUNS,
    );
  });
});

describe("the scans of an item", () => {
  const one = [{ lot: "A", expires_on: "2028-01-01" }];
  const two = [...one, { lot: "B", expires_on: "2029-01-31" }];
  const scan = (name: string | null, expires_on: string | null = null) => ({ lot: name, expires_on });
  test.each([
    ["one lot, code without a lot", one, [scan(null)], null],
    ["one lot, in any spelling", one, [scan("a", "2028-01-01")], null],
    ["one lot, another one scanned", one, [scan("B")], "other_lot"],
    ["one lot, another date", one, [scan("A", "2028-01-31")], "other_lot"],
    ["two lots, both scanned in any order", two, [scan("B"), scan("A")], null],
    ["two lots, one of them missing", two, [scan("B")], "every_lot"],
    ["two lots, one scanned twice", two, [scan("B"), scan("b")], "scanned_twice"],
    ["two lots, a code without a lot", two, [scan("A"), scan(null)], "lot_not_read"],
    ["two lots, the date of the other one", two, [scan("A", "2029-01-31"), scan("B")], "other_lot"],
    ["no lot, a plain code", [], [scan(null)], null],
    ["no lot, not scanned", [], [], "every_lot"],
  ] as const)("%s", (_name, lots, scans, expected) => {
    expect(matchScans(lots, scans)).toBe(expected);
  });
});
