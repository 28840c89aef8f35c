import type { PortalUsage, PortalUsageHour } from "@pestle/contract";
import type { Limit } from "../accounts/rate-limit.ts";
import { latencyPercentile } from "./latency-buckets.ts";

const HOUR_MS = 3600 * 1000;

type CountedHour = {
  hour: Date;
  requests: number;
  client_errors: number;
  server_errors: number;
  limited: number;
  busiest_minute: number;
};
type CountedLatency = { hour: Date; bucket: number; requests: number };

/** Start of the first of this many hours, of which the current hour is the last. */
export const firstHour = (now: Date, hours: number): Date =>
  new Date((Math.floor(now.getTime() / HOUR_MS) - (hours - 1)) * HOUR_MS);

/** Returns a row for every hour, including hours without requests. */
export function usageHours(
  first: Date,
  hours: number,
  counted: readonly CountedHour[],
  latencies: readonly CountedLatency[],
  limit: Limit,
): Pick<PortalUsage, "hours" | "totals"> {
  const rows = Array.from({ length: hours }, (_, index) => {
    const at_ms = first.getTime() + index * HOUR_MS;
    const within = ({ hour }: { hour: Date }) => hour.getTime() === at_ms;
    return { hour: new Date(at_ms).toISOString(), ...sumOf(counted.filter(within), latencies.filter(within), limit) };
  });
  return { hours: rows, totals: sumOf(counted, latencies, limit) };
}

function sumOf(
  counted: readonly CountedHour[],
  latencies: readonly CountedLatency[],
  { rate_per_second }: Limit,
): Omit<PortalUsageHour, "hour"> {
  const sum = (field: Exclude<keyof CountedHour, "hour">) => counted.reduce((total, row) => total + row[field], 0);
  const busiest = Math.max(0, ...counted.map(({ busiest_minute }) => busiest_minute)) / 60;
  return {
    requests: sum("requests"),
    client_errors: sum("client_errors"),
    server_errors: sum("server_errors"),
    limited: sum("limited"),
    p50_ms: latencyPercentile(latencies, 0.5),
    p99_ms: latencyPercentile(latencies, 0.99),
    busiest_per_second: Math.round(busiest * 100) / 100,
    headroom: Math.round(Math.max(0, 1 - busiest / rate_per_second) * 1000) / 1000,
  };
}
