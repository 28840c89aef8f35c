import { describe, expect, test } from "vitest";
import { isProduct, scannedCode } from "../src/dashboard/scanned-code.ts";

const gtin = "00300710155237";

describe("a scanned code", () => {
  test.each([
    ["brackets", `(01)${gtin}(17)280331(10)LOT-7A`],
    ["a separator", `01${gtin}10LOT-7A\u001d17280331`],
    ["the lot last", `01${gtin}1728033110LOT-7A`],
    ["a symbology mark and a serial number", `]d201${gtin}17280331213X9\u001d10LOT-7A`],
    ["a separator that a keyboard can type", `01${gtin}10LOT-7A~17280331`],
  ])("parses NDC, lot and expiry, with %s", (_, text) => {
    const read = { code: "0071015523", lot: "LOT-7A", expires_on: "2028-03-31", is_gs1: true, fault: null };
    expect(scannedCode(text)).toMatchObject(read);
  });

  test("reads day 00 as the last day of the month", () => {
    expect(scannedCode(`01${gtin}17280200`).expires_on).toBe("2028-02-29");
  });

  test.each(["00071-0155-23", "00071015523", "LARK-12", "", "01 not a number", "99"])("leaves %j as it is", (text) => {
    const none = { lot: null, expires_on: null, serial: null, is_gs1: false, fault: null };
    expect(scannedCode(text)).toEqual({ code: text, ...none });
  });

  test("has a serial number, and other fields that drug packages carry", () => {
    const text = `]d201${gtin}21SER/9\u001d17280331714123\u001d10B.7`;
    expect(scannedCode(text)).toMatchObject({ serial: "SER/9", lot: "B.7", expires_on: "2028-03-31", fault: null });
  });

  test.each([
    ["UPC-A", "300710155237"],
    ["UPC-A with a symbology mark", "]E0300710155237"],
    ["EAN-13", "0300710155237"],
    ["GTIN-14", "00300710155237"],
    ["GTIN-14 of a case", "50300710155232"],
    ["GS1-128", "]C10100300710155237"],
  ])("finds the NDC in a %s", (_, text) => {
    expect(scannedCode(text)).toMatchObject({ code: "0071015523", fault: null });
  });

  test.each([
    ["check_digit", "a digit of a UPC-A was misread", "300710155232"],
    ["check_digit", "a digit of a GTIN was misread", "00300710155230"],
    ["check_digit", "a digit of a GS1 code was misread", "(01)00300710155230(10)A"],
    ["torn", "a GS1 code ends in the middle", "]d20100300710"],
    ["torn", "a code without its kind ends in the middle", "010037099910130017311"],
    ["torn", "a bracketed code has no product", "(10)LOT-7A"],
    ["torn", "a bracketed GTIN is too short", "(01)0030071015(10)A"],
    ["expiry", "the 31st of February", "(01)00300710155237(17)280231(10)A"],
    ["expiry", "a 13th month", "01003007101552371728130010A"],
  ])("is refused (%s): %s", (fault, _, text) => {
    expect(scannedCode(text).fault).toBe(fault);
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
