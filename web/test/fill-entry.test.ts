import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  fillEntry,
  filledLine,
  isComplete,
  isFilled,
  nothingFilled,
  withAnother,
} from "../src/dashboard/order/fill-entry.ts";
import { missOf } from "../src/dashboard/order/step/note-refused.ts";

const mine = { item_id: 1, ndc: "00071015523", sku: "LARK-12" };
const other = { item_id: 2, ndc: "70999010130", sku: "LARK-13" };
const kit = { item_id: 3, ndc: null, sku: "KIT-1" };
const lines = [mine, other, kit];
const typed = { lot: "", lot_expires_on: "2030-06-30" };
const code = (gtin: string, rest: string) => `01${gtin}${rest}`;
const MINE = "00300710155237";
const OTHER = "00370999101300";

describe("an entry in a line's lot field", () => {
  test("fills in lot and expiry from the line's own package", () => {
    expect(fillEntry(code(MINE, "1728033110L-7"), mine, lines, nothingFilled)).toEqual({
      filled: { lot: "L-7", lot_expires_on: "2028-03-31" },
      scanned: true,
      wrong: null,
    });
  });

  test("keeps the typed expiry if the code has none", () => {
    expect(fillEntry(code(MINE, "10L-7"), mine, lines, typed).filled).toEqual({ ...typed, lot: "L-7" });
  });

  test.each([
    ["another line's package", code(OTHER, "1728033110L-7"), "another line"],
    ["another line's number alone", "70999-0101-30", "another line"],
    ["another line's SKU", "KIT-1", "another line"],
    ["a package of no line", code("00312345678906", "1728033110L-7"), "not part of this order"],
    ["a code whose lot is empty", code(MINE, "1728033110"), "has no lot number"],
    ["a code without a lot", code(MINE, "17280331"), "has no lot number"],
    ["a misread code", code("00300710155238", "1728033110L-7"), "check digit"],
    ["a torn code", "]d20100300710", "incomplete"],
    ["an impossible date", code(MINE, "1728023110L-7"), "expiration date"],
    ["the product's own number", "0071-0155-23", "has no lot number"],
  ])("rejects %s and leaves the line incomplete", (_, text, why) => {
    const { filled, wrong } = fillEntry(text, mine, lines, { lot: "L-6", lot_expires_on: "2027-01-01" });
    expect(wrong).toContain(why);
    expect([filled.lot, isFilled(filled)]).toEqual(["", false]);
  });

  test.each(["L-7", " 2044A ", "01", "0110", "LOT 17"])("treats text that is not a code as a typed lot: %j", (text) => {
    expect(fillEntry(text, mine, lines, typed)).toEqual({
      filled: { ...typed, lot: text.trim() },
      scanned: false,
      wrong: null,
    });
  });

  test("never completes a line with another product's lot", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9A-Z-]{1,20}$/), fc.constantFrom(OTHER, "00312345678906"), (lot, gtin) => {
        expect(isFilled(fillEntry(code(gtin, `1728033110${lot}`), mine, lines, typed).filled)).toBe(false);
      }),
    );
  });
});

test("a refused package is a near miss if it is another product, lot or date, and not if its code is damaged", () => {
  const filled = { ...mine, lots: [{ lot: "L-7", lot_expires_on: "2028-03-31", units: 30 }] };
  const found = (text: string) => missOf(text, [filled, { ...other, lots: [] }]);
  expect(found("99999-9999-99")).toBe("wrong_product");
  expect(missOf(code(OTHER, "10L-7"), [filled])).toBe("wrong_product");
  expect(found(code(MINE, "1728033110L-8"))).toBe("other_lot");
  expect(found(code(MINE, "1729033110L-7"))).toBe("other_lot");
  expect(found(code(MINE, "1728033110L-7"))).toBe(null);
  expect(found(code(OTHER, "1728033110L-9"))).toBe(null);
  expect(found("0100300710155230")).toBe(null);
});

describe("the lots of a line", () => {
  const line = {
    item_id: 1,
    units: 30,
    suggested_lots: [{ lot: "A", lot_expires_on: "2028-01-31", units: 20 }],
  };
  const part = (lot: string, units = "", lot_expires_on = "2028-01-31") => ({ lot, lot_expires_on, units });

  test("one needs no units", () => {
    expect(isComplete([part("A")], line)).toBe(true);
    expect(filledLine(line, [part("A")])).toEqual({ item_id: 1, lot: "A", lot_expires_on: "2028-01-31" });
  });

  test.each([
    [[part("A", "20"), part("B", "10")], true],
    [[part("A", "20"), part("B", "9")], false],
    [[part("A", "31"), part("B", "-1")], false],
    [[part("A", "30"), part("B", "")], false],
    [[part("A", "20"), part("", "10")], false],
    [[part("A", "0.1"), part("B", "0.2"), part("C", "29.7")], true],
  ])("several add up to the units of the line: %j", (parts, complete) => {
    expect(isComplete(parts, line)).toBe(complete);
  });

  test("another one takes the rest of the suggestion", () => {
    expect(withAnother([part("a")], line)).toEqual([part("a", "20"), { ...nothingFilled, units: "10" }]);
    expect(withAnother([part("X")], line)).toEqual([part("X"), { ...nothingFilled, units: "" }]);
    expect(filledLine(line, [part("A", "20"), part("B", "10")])).toEqual({
      item_id: 1,
      lots: [
        { lot: "A", lot_expires_on: "2028-01-31", units: 20 },
        { lot: "B", lot_expires_on: "2028-01-31", units: 10 },
      ],
    });
  });
});
