import { expect, test } from "vitest";
import { findShelves } from "../src/dashboard/stock/find-shelves.ts";

const shelf = (sku: string, name: string, ndc: string | null) => ({
  ...{ sku, name, ndc },
  on_hand_units: 1,
  reserved_units: 0,
  free_units: 1,
  loose_units: 1,
  returned_units: 0,
  has_lot: true,
  controlled: false,
});
const shelves = [
  shelf("minoxidil-2-5", "Minoxidil 2.5 mg tablet", "70999100130"),
  shelf("atorvastatin-20", "Atorvastatin 20 mg tablet", "00071015523"),
  shelf("pouch", "Packaging pouch", null),
];
const found = (text: string) => findShelves(shelves, text).map(({ sku }) => sku);

test.each([
  ["", ["minoxidil-2-5", "atorvastatin-20", "pouch"]],
  ["tablet 20", ["atorvastatin-20"]],
  ["POUCH", ["pouch"]],
  // 11 digits, the package's 10 digits, with dashes, and inside a scanned code.
  ["70999100130", ["minoxidil-2-5"]],
  ["70999-1001-30", ["minoxidil-2-5"]],
  ["0071-0155-23", ["atorvastatin-20"]],
  ["00300710155239", ["atorvastatin-20"]],
  ["12345", []],
])("%j finds %j", (text, skus) => {
  expect(found(text)).toEqual(skus);
});
