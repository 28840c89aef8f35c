import { describe, expect, test } from "vitest";
import {
  type Destruction,
  decideDestruction,
  decideLotCount,
  decideReceipt,
  isBelowLots,
} from "../../../src/domain/catalogue/lot-moves.ts";

/** 40 units of A (10 in filled orders), 30 without a known lot (5 in filled orders). 20 are reserved, 12 came back. */
const shelf = {
  sku: "a",
  on_hand_units: 70,
  reserved_units: 20,
  lot_units: 40,
  loose_filled_units: 5,
  returned_units: 12,
};
const lots = [{ lot: "A", expires_on: "2028-01-01", on_hand_units: 40, filled_units: 10, returned_units: 8 }];
const TODAY = "2027-03-01";
const A = { lot: "a", expires_on: "2028-01-01" };
const outcome = (decided: ReturnType<typeof decideReceipt>) =>
  "refused" in decided
    ? decided.refused
    : [decided.entry.units, decided.entry.lot_units ?? null, decided.entry.lot ?? null];

test.each([
  ["without a lot", null, [30, null, null]],
  ["of a known lot", A, [30, null, "A"]],
  ["of a new lot", { lot: "B-1", expires_on: "2029-01-31" }, [30, null, "B-1"]],
  ["of a known lot with another date", { ...A, expires_on: "2028-02-01" }, "other_date"],
  ["of an expired lot", { lot: "B", expires_on: TODAY }, "expired"],
  ["of a lot without a date", { lot: "B", expires_on: "" }, "date"],
  ["of a lot without a name", { lot: " ", expires_on: "2029-01-31" }, "lot"],
])("a receipt %s", (_name, lot, expected) => {
  expect(outcome(decideReceipt(shelf, lots, { units: 30, note: null, lot }, TODAY))).toEqual(expected);
});

test.each([
  ["as expected", A, 40, [0, 0, "A"]],
  ["with fewer units", A, 35, [-5, -5, "A"]],
  ["with fewer units than filled orders have", A, 9, "filled"],
  ["with more units takes them from the stock without a lot", A, 60, [0, 20, "A"]],
  ["with more units than the stock without a lot has", A, 70, [5, 30, "A"]],
  ["of a new lot", { lot: "B", expires_on: "2029-01-31" }, 25, [0, 25, "B"]],
  ["with another date", { ...A, expires_on: "2028-02-01" }, 40, "other_date"],
])("a count of a lot %s", (_name, lot, units, expected) => {
  expect(outcome(decideLotCount(shelf, lots, { units, note: null, lot }))).toEqual(expected);
});

test("a count of a lot leaves the reserved units", () => {
  const reserved = { ...shelf, reserved_units: 60 };
  expect(outcome(decideLotCount(reserved, lots, { units: 30, note: null, lot: A }))).toEqual([-10, -10, "A"]);
  expect(outcome(decideLotCount(reserved, lots, { units: 29, note: null, lot: A }))).toBe("reserved");
});

test("a count of the product leaves the lots and the filled orders", () => {
  expect([45, 44.999].map((units) => isBelowLots(shelf, units))).toEqual([false, true]);
});

describe("a destruction", () => {
  const asked: Destruction = { units: 5, lot: "A", returned: false, reason: "expired", note: null };
  const technician = { person_id: "p1", by_pharmacist: false, witness_id: null };
  const pharmacist = { person_id: "p2", by_pharmacist: true, witness_id: "p1" };
  const explained = "DEA Form 41 of March 1";
  test.each([
    ["of a lot", {}, technician, false, "destroyed"],
    ["of all free units of a lot", { units: 30 }, technician, false, "destroyed"],
    ["of units in filled orders", { units: 31 }, technician, false, "too_many"],
    ["of stock without a lot", { lot: null, units: 25 }, technician, false, "destroyed"],
    ["of more than the stock without a lot", { lot: null, units: 26 }, technician, false, "too_many"],
    ["of a lot that the shelf does not have", { lot: "B" }, technician, false, "unknown_lot"],
    ["of returned units", { returned: true, units: 8 }, technician, false, "returned_destroyed"],
    ["of more returned units than came back", { returned: true, units: 9 }, technician, false, "too_many"],
    [
      "of returned units without a lot",
      { returned: true, lot: null, units: 4 },
      technician,
      false,
      "returned_destroyed",
    ],
    [
      "of too many returned units without a lot",
      { returned: true, lot: null, units: 5 },
      technician,
      false,
      "too_many",
    ],
    ["of a controlled substance by a technician", { note: explained }, technician, true, "pharmacist"],
    [
      "of a controlled substance without a witness",
      { note: explained },
      { ...pharmacist, witness_id: null },
      true,
      "witness",
    ],
    [
      "of a controlled substance with oneself as witness",
      { note: explained },
      { ...pharmacist, witness_id: "p2" },
      true,
      "witness",
    ],
    ["of a controlled substance without an explanation", { note: "short" }, pharmacist, true, "explanation"],
    ["of a controlled substance", { note: explained }, pharmacist, true, "destroyed"],
  ] as const)("%s", (_name, more, people, controlled, expected) => {
    const decided = decideDestruction(shelf, lots, { ...asked, ...more }, people, controlled);
    expect("refused" in decided ? decided.refused : decided.entry.kind).toBe(expected);
  });

  test("leaves the reserved units", () => {
    const reserved = { ...shelf, reserved_units: 60 };
    const decide = (units: number) => decideDestruction(reserved, lots, { ...asked, units }, technician, false);
    expect(decide(11)).toEqual({ refused: "reserved" });
    expect(decide(10)).toMatchObject({ entry: { units: 10, lot: "A", reason: "expired", person_id: "p1" } });
  });
});
