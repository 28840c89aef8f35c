import type { DeliveryTime, EndpointFigures, PortalFigures } from "@pestle/contract";

const HOUR_MS = 3600 * 1000;

/** The sums of all orders, of those with one carrier, or of those to one state. */
export type ParcelSums = {
  of: "all" | "carrier" | "state";
  name: string | null;
  received: number;
  shipped: number;
  delivered: number;
  median_hours_to_ship: number | null;
  median_hours_to_deliver: number | null;
};

/** The funnel and the delivery times, from the sums of the newest orders. */
export function orderFigures(sums: readonly ParcelSums[]): Omit<PortalFigures, "since"> {
  const all = sums.find((row) => row.of === "all");
  const timesOf = (of: ParcelSums["of"]): DeliveryTime[] =>
    sums
      .flatMap((row) =>
        row.of === of && row.name !== null && row.median_hours_to_deliver !== null
          ? [{ name: row.name, parcels: row.delivered, median_hours: tenths(row.median_hours_to_deliver)! }]
          : [],
      )
      .sort((a, b) => b.parcels - a.parcels || (a.name < b.name ? -1 : 1));
  return {
    funnel: {
      received: all?.received ?? 0,
      shipped: all?.shipped ?? 0,
      delivered: all?.delivered ?? 0,
      median_hours_to_ship: tenths(all?.median_hours_to_ship ?? null),
      median_hours_to_deliver: tenths(all?.median_hours_to_deliver ?? null),
    },
    carriers: timesOf("carrier"),
    states: timesOf("state"),
  };
}

const tenths = (hours: number | null) => (hours === null ? null : Math.round(hours * 10) / 10);

export type EndpointHour = {
  endpoint_id: string;
  /** Null for an endpoint without attempts. */
  hour: Date | null;
  attempts: number | null;
  delivered: number | null;
  duration_ms: number | null;
};

/** Each endpoint with a row for every hour, including hours without attempts. */
export function endpointFigures(rows: readonly EndpointHour[], first: Date, hours: number): EndpointFigures[] {
  return [...new Set(rows.map(({ endpoint_id }) => endpoint_id))].map((endpoint_id) => {
    const own = rows.filter((row) => row.endpoint_id === endpoint_id && row.hour !== null && row.hour >= first);
    return {
      endpoint_id,
      ...ratesOf(own),
      hours: Array.from({ length: hours }, (_, at) => {
        const hour = new Date(first.getTime() + at * HOUR_MS);
        return {
          hour: hour.toISOString(),
          ...ratesOf(own.filter((row) => row.hour!.getTime() === hour.getTime())),
        };
      }),
    };
  });
}

function ratesOf(rows: readonly EndpointHour[]) {
  const sum = (field: "attempts" | "delivered" | "duration_ms") =>
    rows.reduce((total, row) => total + (row[field] ?? 0), 0);
  const attempts = sum("attempts");
  return {
    attempts,
    // Four digits show one failure in ten thousand.
    success_rate: attempts === 0 ? null : Math.round((sum("delivered") / attempts) * 10_000) / 10_000,
    average_duration_ms: attempts === 0 ? null : Math.round(sum("duration_ms") / attempts),
  };
}
