import { describe, expect, test } from "vitest";
import { makeFormulary } from "../../../src/domain/catalogue/formulary.ts";
import { supplyEnd } from "../../../src/domain/fulfillment/supply-end.ts";
import { continuityEntry, type Supply } from "../../../src/domain/orders/continuity.ts";
import type { PrescriptionFact } from "../../../src/domain/orders/order-facts.ts";
import { startOfDay } from "../../../src/domain/values/calendar.ts";
import { products } from "../../../src/seed/cast.ts";

describe("the supply of a patient", () => {
  const day = (date: string) => new Date(`${date}T12:00:00Z`);
  test("ends after the days of the fill", () => {
    expect(supplyEnd([{ shipped_at: day("2026-11-01"), days: 30 }])).toEqual(day("2026-12-01"));
  });
  test("lasts longer if a refill came early, and begins anew after a gap", () => {
    const early = [
      { shipped_at: day("2026-11-25"), days: 30 },
      { shipped_at: day("2026-11-01"), days: 30 },
    ];
    expect(supplyEnd(early)).toEqual(day("2026-12-31"));
    const late = [...early, { shipped_at: day("2027-03-01"), days: 10 }];
    expect(supplyEnd(late)).toEqual(day("2027-03-11"));
  });
});

describe("an entry of the forecast", () => {
  const time_zone = "America/New_York";
  const today = "2026-11-17";
  const sku = "atorvastatin-20";
  const offered = (change: Partial<(typeof products)[number]> & { in_stock?: boolean } = {}) =>
    makeFormulary({
      products: products.map((product) => ({ in_stock: true, ...product, ...(product.sku === sku ? change : {}) })),
      methods: [],
      brands: [],
      licences: [{ state: "CA", valid_from: "2020-01-01", valid_to: "2026-12-31" }],
    });
  const rules = { formulary: offered(), time_zone, now: new Date("2026-11-17T17:00:00Z"), today };
  const { ndc, gcn } = products.find((product) => product.sku === sku)!;
  const prescription = {
    prescription_id: 183601,
    patient_id: "ay87nt",
    drug_name: "Atorvastatin 20 mg tablet",
    ndc,
    gcn,
    active: true,
    acceptance: "not_needed",
    written_date: "2026-09-01",
    effective_date: "2026-09-01",
    expires_at: startOfDay(time_zone, "2027-09-01"),
    written_qty: 30,
    days_supply: 30,
    refills: 3,
    units_ordered: 30,
    drug_schedule: "0",
  } as unknown as PrescriptionFact;
  const supply: Supply = {
    patient_id: "ay87nt",
    sku,
    supply_ends_at: startOfDay(time_zone, "2026-12-04"),
    ship_state: "CA",
    prescription,
    schedule: null,
    open_order: null,
  };
  type Given = Partial<Omit<Supply, "prescription">> & { prescription?: Partial<PrescriptionFact> };
  const entry = (given: Given = {}, more: { rules?: Partial<typeof rules>; automatic?: boolean } = {}) =>
    continuityEntry(
      { ...supply, ...given, prescription: { ...prescription, ...given.prescription } },
      more.automatic ? "automatic" : "api_driven",
      { ...rules, ...more.rules },
    );
  const codes = (...asked: Parameters<typeof entry>) => entry(...asked).next_fill.not_fillable.map(({ code }) => code);

  test("names the day, the days left and the next fill", () => {
    expect(entry()).toEqual({
      patient_id: "ay87nt",
      prescription_id: 183601,
      drug_name: "Atorvastatin 20 mg tablet",
      sku,
      refills_left: 3,
      runs_out_on: "2026-12-04",
      days_left: 17,
      next_fill: { on: "2026-12-04", fillable: true, not_fillable: [] },
      schedule: null,
      open_order: null,
    });
  });

  test("of a patient who has run out is about today", () => {
    const past = entry({ supply_ends_at: startOfDay(time_zone, "2026-11-10") });
    expect([past.runs_out_on, past.days_left, past.next_fill.on]).toEqual(["2026-11-10", -7, today]);
  });

  const tomorrow = { supply_ends_at: startOfDay(time_zone, "2026-11-18") };
  test.each<[string, Parameters<typeof entry>, number[]]>([
    ["no refills", [{ prescription: { units_ordered: 120 } }], [42250]],
    ["a prescription that has expired by then", [{ prescription: { expires_at: new Date("2026-12-01") } }], [42257]],
    ["one that expires later", [{ ...tomorrow, prescription: { expires_at: new Date("2026-12-01") } }], []],
    ["one that is effective by then", [{ prescription: { effective_date: "2026-12-01" } }], []],
    ["one that is not accepted", [{ prescription: { acceptance: "pending" } }], [42249]],
    ["no stock", [{}, { rules: { formulary: offered({ in_stock: false }) } }], [42253]],
    ["no stock of a back order", [{}, { rules: { formulary: offered({ in_stock: false, back_orders: true }) } }], []],
    ["a state without a license", [{ ship_state: "HI" }], [42231]],
    ["the same under Automatic Processing", [{ ship_state: "HI" }, { automatic: true }], [67]],
    ["a license that ends before", [{ supply_ends_at: startOfDay(time_zone, "2027-01-02") }], [42231]],
    ["a state that the product excludes", [{}, { rules: { formulary: offered({ blocked_states: ["CA"] }) } }], [67]],
    ["an unknown state", [{ ship_state: null }], []],
    ["a product that is no longer offered", [{ prescription: { ndc: "00000000000", gcn: "0" } }], [42260]],
    ["two reasons", [{ ship_state: "HI", prescription: { units_ordered: 120 } }], [42231, 42250]],
  ])("reports %s", (_, asked, expected) => {
    const { fillable, not_fillable } = entry(...asked).next_fill;
    expect([fillable, not_fillable.map(({ code }) => code)]).toEqual([expected.length === 0, expected]);
    for (const { message } of not_fillable) expect(message).not.toBe("");
  });

  test("with an open order is about that order, and names what holds it", () => {
    const order = { order_number: "7K2M9XQ4TB", order_status: "Processing" as const, exception_ids: [] };
    const used_up = { prescription: { units_ordered: 120 } };
    const { order_number, order_status } = order;
    expect(entry({ ...used_up, open_order: order })).toMatchObject({
      next_fill: { fillable: true, not_fillable: [] },
      open_order: { order_number, order_status },
    });
    const held = { ...order, order_status: "On Hold" as const, exception_ids: [77, 80] as const };
    expect(entry({ ...used_up, open_order: held }).next_fill).toMatchObject({
      fillable: false,
      not_fillable: [
        { code: 77, message: expect.any(String) },
        { code: 80, message: "Payment Declined" },
      ],
    });
  });

  test("with a schedule is about the day of its next fill", () => {
    const expires_at = new Date("2026-12-01");
    expect(codes({ prescription: { expires_at } })).toEqual([42257]);
    const on = (fill_on: string, status: "active" | "paused" = "active") => ({
      schedule: { schedule_id: "019a8c02-51d7-7f0a-8b6e-90c1d2e3f4a5", status, fill_on },
    });
    expect(codes({ prescription: { expires_at }, ...on("2026-11-27") })).toEqual([]);
    expect(entry(on("2026-11-27")).next_fill.on).toBe("2026-11-27");
    expect(entry(on("2026-11-01")).next_fill.on).toBe(today);
    // A paused schedule orders nothing, so the day on which the patient runs out counts.
    expect(codes({ prescription: { expires_at }, ...on("2026-11-27", "paused") })).toEqual([42257]);
  });
});
