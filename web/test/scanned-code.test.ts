import { describe, expect, test } from "vitest";
import { isProduct, scannedCode } from "../src/dashboard/order/scanned-code.ts";

const gtin = "00300710155230";

describe("a scanned code", () => {
  test.each([
    ["brackets", `(01)${gtin}(17)280331(10)LOT-7A`],
    ["a separator", `01${gtin}10LOT-7A\u001d17280331`],
    ["the lot last", `01${gtin}1728033110LOT-7A`],
    ["a symbology mark and a serial number", `]d201${gtin}17280331213X9\u001d10LOT-7A`],
    ["a separator that a keyboard can type", `01${gtin}10LOT-7A~17280331`],
  ])("parses NDC, lot and expiry, with %s", (_, text) => {
    expect(scannedCode(text)).toEqual({ code: "0071015523", lot: "LOT-7A", expires_on: "2028-03-31", is_gs1: true });
  });

  test("reads day 00 as the last day of the month", () => {
    expect(scannedCode(`01${gtin}17280200`).expires_on).toBe("2028-02-29");
  });

  test.each(["00071-0155-23", "00071015523", "LARK-12", "", "01 not a number", "99"])("leaves %j as it is", (text) => {
    expect(scannedCode(text)).toEqual({ code: text, lot: null, expires_on: null, is_gs1: false });
  });
});

describe("matching a scanned code to a product", () => {
  const product = { ndc: "00071015523", sku: "LARK-12" };
  test.each(["00071015523", "0071-0155-23", "00071-155-23", "00071-0155-23", "0071015523", "000071015523"])(
    "matches the NDC %s",
    (code) => expect(isProduct(code, product)).toBe(true),
  );
  test.each(["00071015524", "LARK-12", "", "71015523"])("does not match %j", (code) =>
    expect(isProduct(code, product)).toBe(false),
  );
  test("matches the SKU if the product has no NDC", () => {
    expect([isProduct("A-1", { ndc: null, sku: "A-1" }), isProduct("A-2", { ndc: null, sku: "A-1" })]).toEqual([
      true,
      false,
    ]);
  });
});
