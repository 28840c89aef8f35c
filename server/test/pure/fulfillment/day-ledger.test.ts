import { expect, test } from "vitest";
import { brokenNumbers, type DayBook, type DayFacts, dayFaults, unnoticed } from "../../../../chaos/day/day-ledger.ts";

const place = { account_id: "a", sku: "zolpidem-5" };
const book: DayBook = {
  received: [
    { ...place, lot: "A", units: 100 },
    { ...place, lot: "B", units: 60 },
  ],
  shipped: [
    { ...place, order_number: "1", lots: [{ lot: "A", units: 30 }] },
    {
      ...place,
      order_number: "2",
      lots: [
        { lot: "A", units: 20 },
        { lot: "B", units: 10 },
      ],
    },
  ],
  returned: [{ ...place, lot: "A", units: 30 }],
  destroyed: [
    { ...place, lot: "A", units: 20, returned: true },
    { ...place, lot: "A", units: 5, returned: false },
  ],
  recalled: ["A"],
  misses: [{ order_number: "1", what: "An expired package was used." }],
};
const entries = { received: 60, dispensed: 10, returned: 0, destroyed: 0, returned_destroyed: 0 };
const facts: DayFacts = {
  lots: [
    {
      ...{ ...place, lot: "A", on_hand: 45, filled: 0, held_returns: 10, quarantined: true },
      entries: { received: 100, dispensed: 50, returned: 30, destroyed: 5, returned_destroyed: 20 },
    },
    { ...place, lot: "B", on_hand: 50, filled: 0, held_returns: 0, quarantined: false, entries },
  ],
  shelves: [{ ...place, on_hand: 95, reserved: 0, loose: 0 }],
  dispensing: [
    { order_number: "1", units: 30, lots: ["A"] },
    { order_number: "2", units: 30, lots: ["A", "B"] },
  ],
  near_misses: [{ order_number: "1", what: "An expired package was used." }],
  controlled: [{ ...place, on_hand: 95, returned: 10 }],
};

test("a day adds up: received is on the shelf, in quarantine, dispensed, destroyed, or came back", () => {
  expect(dayFaults(book, facts)).toEqual([]);
});

test("each broken number is noticed, and named", () => {
  expect(unnoticed(book, facts)).toEqual([]);
  expect(Object.keys(brokenNumbers)).toHaveLength(10);
  const broken = structuredClone(facts);
  broken.lots[1]!.on_hand -= 1;
  expect(dayFaults(book, broken)).toEqual([
    "a zolpidem-5 B: 60 units came, and 59 are accounted for",
    "a zolpidem-5: the shelf has 95 units, and its lots 94",
  ]);
});
