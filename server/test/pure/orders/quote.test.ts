import { describe, expect, test } from "vitest";
import { heldUntil, pricesAt, QUOTE_MS } from "../../../src/domain/catalogue/held-price.ts";
import { quoteOf } from "../../../src/domain/orders/quote.ts";
import { addBusinessDays, businessDayFrom, isBusinessDay } from "../../../src/domain/values/business-days.ts";
import { addDays } from "../../../src/domain/values/calendar.ts";

describe("business days", () => {
  /** The dates on which federal offices are closed, as the Office of Personnel Management publishes them. */
  const published: Record<string, string> = {
    2021: "01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31",
    2026: "01-01 01-19 02-16 05-25 06-19 07-03 09-07 10-12 11-11 11-26 12-25",
    2027: "01-01 01-18 02-15 05-31 06-18 07-05 09-06 10-11 11-11 11-25 12-24 12-31",
    2028: "01-17 02-21 05-29 06-19 07-04 09-04 10-09 11-10 11-23 12-25",
  };
  test.each(Object.entries(published))("of %s leave out weekends and the federal holidays", (year, holidays) => {
    const found: string[] = [];
    for (let date = `${year}-01-01`; date.startsWith(year); date = addDays(date, 1)) {
      const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
      const is_weekend = weekday === 0 || weekday === 6;
      if (is_weekend) expect([date, isBusinessDay(date, [])]).toEqual([date, false]);
      else if (!isBusinessDay(date, [])) found.push(date.slice(5));
    }
    expect(found.join(" ")).toBe(holidays);
  });

  test("skip the pharmacy's own closed dates", () => {
    expect(businessDayFrom("2026-12-24", ["2026-12-24"])).toBe("2026-12-28");
    expect(addBusinessDays("2026-12-23", 2, ["2026-12-24"])).toBe("2026-12-29");
    expect(addBusinessDays("2026-12-23", 0, ["2026-12-23"])).toBe("2026-12-23");
  });
});

describe("a quote", () => {
  const calendar = { time_zone: "America/New_York", cut_off: "14:00", closed: ["2026-11-27"] };
  const formulary = {
    by_sku: new Map([["a", { price_cents: 1100 }]]),
    methods: new Map([[1, { price_cents: 595, transit_days: { min: 1, max: 3 } }]]),
  };
  const quoted = (at: string, given: { in_stock?: boolean; held?: boolean } = {}) =>
    quoteOf(
      {
        order: { shipping_method_id: 1, exceptions: given.held ? [{ id: 65 }] : [] },
        items: [{ item_id: 1, sku: "a", quantity: 2, reserved: given.in_stock ?? true }],
      } as unknown as Parameters<typeof quoteOf>[0],
      formulary as unknown as Parameters<typeof quoteOf>[1],
      new Date(at),
      calendar,
    );

  test("adds up the items and shipping", () => {
    expect(quoted("2026-11-17T15:00:00Z")).toMatchObject({
      items: [{ item_id: 1, price_cents: 2200, in_stock: true }],
      shipping_cents: 595,
      total_cents: 2795,
      currency: "USD",
    });
  });

  test.each([
    ["before the cut-off time", "2026-11-17T18:59:59Z", "2026-11-17", "2026-11-20"],
    ["at the cut-off time", "2026-11-17T19:00:00Z", "2026-11-18", "2026-11-23"],
    ["late on the pharmacy's Tuesday, already Wednesday in UTC", "2026-11-18T03:00:00Z", "2026-11-18", "2026-11-23"],
    ["in the morning of the pharmacy's next day", "2026-11-18T05:00:00Z", "2026-11-18", "2026-11-23"],
    ["on a Friday evening", "2026-11-20T23:00:00Z", "2026-11-23", "2026-11-30"],
    ["on a Saturday", "2026-11-21T15:00:00Z", "2026-11-23", "2026-11-30"],
    ["on Thanksgiving, before a closed date", "2026-11-26T15:00:00Z", "2026-11-30", "2026-12-03"],
    ["three business days before New Year", "2026-12-28T15:00:00Z", "2026-12-28", "2026-12-31"],
    ["on the day when clocks change", "2026-11-01T15:00:00Z", "2026-11-02", "2026-11-05"],
  ])("asked %s names the days", (_, at, ships_by, arrives_by) => {
    expect(quoted(at)).toMatchObject({ ships_by, arrives_by });
  });

  test("names no day if the stock is too low or an exception holds the order", () => {
    const unknown = { ships_by: null, arrives_by: null };
    expect(quoted("2026-11-17T15:00:00Z", { in_stock: false })).toMatchObject(unknown);
    expect(quoted("2026-11-17T15:00:00Z", { held: true })).toMatchObject(unknown);
  });
});

test("a held price lowers what an order pays until it ends, and never raises it", () => {
  const now = new Date("2026-11-17T15:00:00Z");
  const held_until = heldUntil(now).toISOString();
  const rows = [
    { sku: "raised", price_cents: 1500, held_price_cents: 1200, held_until },
    { sku: "lowered", price_cents: 900, held_price_cents: 1200, held_until },
    { sku: "never changed", price_cents: 700, held_price_cents: null, held_until: null },
  ];
  const at = (ms: number) => pricesAt(rows, new Date(now.getTime() + ms));
  expect(at(QUOTE_MS).rows.map(({ price_cents }) => price_cents)).toEqual([1200, 900, 700]);
  expect(at(QUOTE_MS).until).toBe(Date.parse(held_until));
  expect(at(Date.parse(held_until) - now.getTime())).toEqual({ rows, until: Number.POSITIVE_INFINITY });
});
