import { expect, test } from "vitest";
import { amountText, dailyText } from "../src/dashboard/order/clinical/amount-text.ts";

test("an amount reads as a pharmacist writes it", () => {
  expect(amountText({ min: 1, max: 1 }, "tablet")).toBe("1 tablet");
  expect(amountText({ min: 1, max: 2 }, "tablet")).toBe("1 to 2 tablets");
  expect(amountText({ min: 0.5, max: 0.5 }, "tablet")).toBe("0.5 tablets");
  expect(amountText({ min: 10, max: 10 }, "mL")).toBe("10 mL");
  expect(amountText({ min: 2, max: 2 }, "patch")).toBe("2 patches");
  expect(amountText({ min: 2, max: 2 }, "suppository")).toBe("2 suppositories");
  expect(amountText({ min: 3, max: 3 }, "each")).toBe("3 doses");
  expect(amountText({ min: 20, max: 20 }, "meq")).toBe("20 mEq");
});

test("a daily dose names what it adds up to", () => {
  const dose = { read: true, doses_per_day: { min: 1, max: 1 }, lasts_days: null } as const;
  const ingredients = [{ name: "atorvastatin", unit: "mg" as const, min: 20, max: 40 }];
  expect(dailyText({ ...dose, per_day: { min: 1, max: 2 }, unit: "tablet", as_needed: true, ingredients })).toBe(
    "1 to 2 tablets a day (atorvastatin 20 to 40 mg), as needed",
  );
  expect(dailyText({ ...dose, per_day: { min: 5, max: 5 }, unit: "mL", as_needed: false, ingredients: [] })).toBe(
    "5 mL a day",
  );
});
