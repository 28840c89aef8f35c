import type { MetricName } from "../../server/src/metrics/metrics-table.ts";

/** What the service promises, by which the alerts judge it. Only production counts. */
export type Slo = {
  name: string;
  /** Completes "99.9 % of …". */
  promise: string;
  /** The share that must be good, over 30 days. */
  objective: number;
  metric: MetricName;
  /** Which samples of the metric count, in PromQL. */
  selector: string;
  /** Good is an answer that is no server error, or one within this time, which is a bucket of the metric. */
  good: "no_server_error" | { within_s: number };
};

const REQUESTS = "pestle_http_request_duration_seconds";
// While the database is out of reach, the account of a request is unknown. Its answer, a 503, belongs to no environment.
const ORDERS = 'environment=~"production|",method="POST",route=~"(/v1)?/orders"';
const TOKENS = 'environment="production",method="POST",route="/oauth/token"';
const INTAKE = 'environment=~"production|",method="POST",route=~"(/v1)?/intake/.+"';

export const slos: readonly Slo[] = [
  {
    name: "orders-availability",
    promise: "orders get an answer that is no server error",
    objective: 0.999,
    metric: REQUESTS,
    selector: ORDERS,
    good: "no_server_error",
  },
  {
    name: "orders-latency",
    promise: "orders get their answer within 0.5 s",
    objective: 0.99,
    metric: REQUESTS,
    selector: ORDERS,
    good: { within_s: 0.5 },
  },
  {
    name: "tokens-availability",
    promise: "token requests get an answer that is no server error",
    objective: 0.999,
    metric: REQUESTS,
    selector: TOKENS,
    good: "no_server_error",
  },
  {
    name: "tokens-latency",
    promise: "token requests get their answer within 0.25 s",
    objective: 0.99,
    metric: REQUESTS,
    selector: TOKENS,
    good: { within_s: 0.25 },
  },
  {
    name: "intake-availability",
    promise: "messages of prescribers get an answer that is no server error",
    objective: 0.999,
    metric: REQUESTS,
    selector: INTAKE,
    good: "no_server_error",
  },
  {
    name: "intake-latency",
    promise: "messages of prescribers get their answer within 1 s",
    objective: 0.99,
    metric: REQUESTS,
    selector: INTAKE,
    good: { within_s: 1 },
  },
  {
    name: "webhooks-first-attempt",
    promise: "events are sent for the first time within 5 s",
    objective: 0.99,
    metric: "pestle_webhook_first_attempt_lag_seconds",
    selector: 'environment="production"',
    good: { within_s: 5 },
  },
];

/** Prometheus from version 3 on writes a whole number as `1.0`. */
const bucketMatcher = (within_s: number): string =>
  Number.isInteger(within_s) ? `le=~"${within_s}(\\\\.0)?"` : `le="${within_s}"`;

/** The share of bad events in a window. Without events there is no sample. */
export function errorRatio({ metric, selector, good }: Slo, window: string): string {
  const all = `sum(rate(${metric}_count{${selector}}[${window}]))`;
  const bad =
    good === "no_server_error"
      ? `(sum(rate(${metric}_count{${selector},status=~"5.."}[${window}])) or vector(0))`
      : `(${all} - sum(rate(${metric}_bucket{${selector},${bucketMatcher(good.within_s)}}[${window}])))`;
  return `${bad} / (${all} > 0)`;
}
