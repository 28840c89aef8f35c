import { expect, test } from "vitest";
import { endpointFigures, orderFigures } from "../../../src/domain/operations/portal-figures.ts";

const sums = (given: object) => ({
  of: "all" as const,
  name: null,
  received: 0,
  shipped: 0,
  delivered: 0,
  median_hours_to_ship: null,
  median_hours_to_deliver: null,
  ...given,
});

test("the funnel shows all orders, and delivery times only carriers and states with a delivered parcel", () => {
  const figures = orderFigures([
    sums({ received: 9, shipped: 5, delivered: 3, median_hours_to_ship: 4.04, median_hours_to_deliver: 50 }),
    sums({ of: "carrier", name: "UPS", delivered: 1, median_hours_to_deliver: 24 }),
    sums({ of: "carrier", name: "USPS", delivered: 2, median_hours_to_deliver: 60.26 }),
    // Orders without a parcel, and parcels on the way.
    sums({ of: "carrier", name: null, received: 4 }),
    sums({ of: "carrier", name: "FedEx", shipped: 2 }),
    sums({ of: "state", name: "TX", delivered: 3, median_hours_to_deliver: 50 }),
  ]);
  expect(figures).toEqual({
    funnel: { received: 9, shipped: 5, delivered: 3, median_hours_to_ship: 4, median_hours_to_deliver: 50 },
    carriers: [
      { name: "USPS", parcels: 2, median_hours: 60.3 },
      { name: "UPS", parcels: 1, median_hours: 24 },
    ],
    states: [{ name: "TX", parcels: 3, median_hours: 50 }],
  });
  expect(orderFigures([]).funnel.received).toBe(0);
});

test("an endpoint has a row for every hour, and no rate in an hour without attempts", () => {
  const first = new Date("2026-11-18T10:00:00Z");
  const row = (hour: string, attempts: number, delivered: number) => ({
    ...{ endpoint_id: "busy", hour: new Date(hour), attempts, delivered, duration_ms: attempts * 100 },
  });
  const none = { endpoint_id: "idle", hour: null, attempts: null, delivered: null, duration_ms: null };
  const [busy, idle] = endpointFigures(
    [row("2026-11-18T09:00:00Z", 99, 0), row("2026-11-18T10:00:00Z", 3, 3), row("2026-11-18T12:00:00Z", 1, 0), none],
    first,
    3,
  );
  expect(busy).toMatchObject({ attempts: 4, success_rate: 0.75, average_duration_ms: 100 });
  expect(busy!.hours.map(({ success_rate }) => success_rate)).toEqual([1, null, 0]);
  expect(idle).toMatchObject({ endpoint_id: "idle", attempts: 0, success_rate: null, average_duration_ms: null });
  expect(idle!.hours).toHaveLength(3);
});
