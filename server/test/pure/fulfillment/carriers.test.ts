import { type ShipmentStatus, shipmentStatuses } from "@pestle/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LabelRequest, simulatedCarriers } from "../../../src/adapters/carriers/carriers.ts";
import { stories } from "../../../src/adapters/carriers/parcel-stories.ts";
import { fedexCheck, upsCheck, uspsCheck } from "../../../src/adapters/carriers/tracking-numbers.ts";
import { readConfig } from "../../../src/config.ts";
import { pharmacyFacts } from "../../../src/domain/fulfillment/documents.ts";
import type { TrackedParcel } from "../../../src/domain/fulfillment/parcel.ts";
import { checkLabel } from "../../../src/domain/orders/custom-label.ts";
import { dateIn } from "../../../src/domain/values/calendar.ts";

const RUNS = { seed: 20_261_115, numRuns: 500 };

const request: LabelRequest = {
  key: "7K2M9XQ4TB",
  carrier: "USPS",
  service: "Ground Advantage",
  signature_confirmation: false,
  from: pharmacyFacts(readConfig({})),
  to: {
    first_name: "Zoë",
    last_name: "Nuñez",
    street1: "18 Larch Street",
    street2: null,
    city: "Columbus",
    state: "OH",
    zip: "43215",
    phone: "6145550117",
  },
  reference: "WT-1042",
  ship_date: "2026-11-15",
  sandbox: false,
};

describe("check digits", () => {
  // Public numbers of real parcels and from the carriers' own examples.
  test.each([
    [
      uspsCheck,
      ["9400111201080805483016", "9361289878700317633795", "9405803699300124287899", "9505511069605048600624"],
    ],
    [upsCheck, ["1Z5R89390357567127", "1Z879E930346834440", "1Z410E7W0392751591", "1Z8V92A70367203024"]],
    [fedexCheck, ["986578788855", "477179081230", "799531274483", "790535312317", "974367662710"]],
  ])("match known numbers", (check, numbers) => {
    for (const number of numbers) expect(`${number.slice(0, -1)}${check(number.slice(0, -1))}`).toBe(number);
  });
  test("of USPS and FedEx detect most typing errors", () => {
    expect(uspsCheck("920000000000000000000")).not.toBe(0);
    expect(fedexCheck("99657878885")).not.toBe(5);
  });
});

describe("a label", () => {
  const shapes = [
    ["USPS", /^9400100000\d{12}$/, "https://tools.usps.com/"],
    ["UPS", /^1Z12345E03[0-9A-Z]{7}\d$/, "https://www.ups.com/"],
    ["FedEx", /^00\d{10}$/, "https://www.fedex.com/"],
    ["Fed Ex", /^00\d{10}$/, "https://www.fedex.com/"],
    ["Northwind Couriers", /^PX\d{14}$/, null],
  ] as const;
  test.each(shapes)("of %s has a number in the carrier's format, and a tracking URL", async (carrier, shape, url) => {
    const { tracking_no, tracking_url } = await simulatedCarriers.createLabel({ ...request, carrier });
    expect(tracking_no).toMatch(shape);
    if (url === null) expect(tracking_url).toBeNull();
    else {
      expect(tracking_url).toContain(tracking_no);
      expect(tracking_url).toMatch(url);
    }
  });

  test("is the same for the same key, byte for byte, and different for another", async () => {
    const [one, again, other] = await Promise.all(
      [request, { ...request }, { ...request, key: "7K2M9XQ4TC" }].map((each) => simulatedCarriers.createLabel(each)),
    );
    expect(again).toEqual(one);
    expect(other!.tracking_no).not.toBe(one!.tracking_no);
    expect(other!.label.data.equals(one!.label.data)).toBe(false);
  });

  test("passes the checks for partners' labels", async () => {
    const { label, tracking_no } = await simulatedCarriers.createLabel(request);
    const given = { carrier: "USPS", tracking_no };
    for (const [format, bytes] of [
      ["PDF", label.data],
      ["ZPL", Buffer.from(label.zpl!)],
    ] as const) {
      expect(checkLabel({ ...given, format, data: bytes.toString("base64") }, true)).toEqual([]);
    }
  });

  test("of each order has its own number", async () => {
    for (const carrier of ["USPS", "UPS", "FedEx"]) {
      const labels = Array.from({ length: 50 }, (_, order) =>
        simulatedCarriers.createLabel({ ...request, carrier, key: `7K2M9XQ${order}` }),
      );
      expect(new Set((await Promise.all(labels)).map(({ tracking_no }) => tracking_no)).size).toBe(50);
    }
  });
});

describe("a parcel", () => {
  const parcels: fc.Arbitrary<TrackedParcel> = fc.record({
    tracking_no: fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 12, maxLength: 22 }),
    carrier: fc.constantFrom("USPS", "UPS", "FedEx"),
    shipped_at: fc.date({ min: new Date("2026-01-01"), max: new Date("2030-12-31"), noInvalidDate: true }),
    transit_days: fc
      .tuple(fc.nat(7), fc.nat(5))
      .map(([min, more]): TrackedParcel["transit_days"] => ({ min, max: min + more })),
    time_zone: fc.constantFrom("America/New_York", "America/Los_Angeles", "Pacific/Honolulu", "UTC"),
    street1: fc.constantFrom(
      "18 Larch Street",
      "101 Larch Street",
      " 102 Larch Street",
      "106 Larch Street",
      "1020 Oak",
    ),
  });
  const END = new Date("2031-12-31");
  const statuses = async (parcel: TrackedParcel) =>
    (await simulatedCarriers.track(parcel, END)).map(({ status }) => status);
  const parcel: TrackedParcel = {
    tracking_no: "9400100000012345678901",
    carrier: "USPS",
    shipped_at: new Date("2026-11-16T20:00:00Z"),
    transit_days: { min: 3, max: 3 },
    time_zone: "America/New_York",
  };

  test("is delivered on its due day, in the afternoon of its time zone", async () => {
    const scans = await simulatedCarriers.track(parcel, END);
    expect(scans.map(({ at, status }) => [at.toISOString(), status])).toEqual([
      ["2026-11-16T20:00:00.000Z", "label_created"],
      ["2026-11-16T22:30:00.000Z", "in_transit"],
      ["2026-11-18T07:40:00.000Z", "in_transit"],
      ["2026-11-19T10:10:00.000Z", "in_transit"],
      ["2026-11-19T13:15:00.000Z", "out_for_delivery"],
      ["2026-11-19T19:30:00.000Z", "delivered"],
    ]);
  });

  const endings: [string, ShipmentStatus[]][] = [
    ["101 Larch Street", ["out_for_delivery", "exception", "out_for_delivery", "delivered"]],
    ["102 Larch Street", ["in_transit", "in_transit", "lost"]],
    ["106 Larch Street", ["out_for_delivery", "exception", "returned"]],
    ["1020 Larch Street", ["out_for_delivery", "delivered"]],
  ];
  test.each(endings)("to %s ends with %j", async (street1, ending) => {
    expect((await statuses({ ...parcel, street1 })).slice(-ending.length)).toEqual(ending);
  });

  test("can reach every status", () => {
    const told = new Set(stories.flatMap(({ steps }) => steps.map(({ status }) => status)));
    expect([...told].sort()).toEqual([...shipmentStatuses].sort());
  });

  test("has one history in order that starts when it ships, and reports nothing before it happens", async () => {
    await fc.assert(
      fc.asyncProperty(parcels, fc.nat(20 * 24 * 60), async (given, minutes) => {
        const all = await simulatedCarriers.track(given, END);
        expect(all[0]).toMatchObject({ at: given.shipped_at, status: "label_created" });
        for (const [index, scan] of all.slice(1).entries()) expect(scan.at > all[index]!.at).toBe(true);
        const now = new Date(given.shipped_at.getTime() + minutes * 60_000);
        const told = await simulatedCarriers.track(given, now);
        expect(told).toEqual(all.slice(0, told.length));
        expect(all[told.length] === undefined || all[told.length]!.at > now).toBe(true);
        expect(simulatedCarriers.nextLookAt(given, now)).toEqual(all[told.length]?.at ?? null);
      }),
      RUNS,
    );
  });

  test("without incidents arrives within the days that its method promises", async () => {
    await fc.assert(
      fc.asyncProperty(parcels, async (given) => {
        const { shipped_at, time_zone, transit_days } = given;
        const scans = await simulatedCarriers.track({ ...given, street1: "18 Larch Street" }, END);
        const [from, to] = [shipped_at, scans.at(-1)!.at].map((at) => Date.parse(dateIn(time_zone, at)));
        const days = (to! - from!) / 86_400_000;
        // For a parcel sent at night for the same day, the last scans may be minutes after midnight.
        expect(days).toBeGreaterThanOrEqual(transit_days.min);
        expect(days).toBeLessThanOrEqual(Math.max(1, transit_days.max));
      }),
      RUNS,
    );
  });

  test("reveals nothing about where the patient lives", async () => {
    const told = JSON.stringify(await simulatedCarriers.track({ ...parcel, street1: "106 Larch Street" }, END));
    expect(told).not.toMatch(/larch|columbus/i);
  });
});
