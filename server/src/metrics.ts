import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = {
  observeRequest(listener: string, method: string, route: string, status: number, seconds: number): void;
  countFault(kind: "database" | "job"): void;
  /** Requests that came too fast for the request log. */
  countDroppedRequests(count: number): void;
  setReady(ready: boolean): void;
  /** Which safety tables orders are checked with, and whether they can be. */
  setSafety(version: string, fit: boolean): void;
  /** How a webhook attempt ended, and how long it took. */
  observeAttempt(delivery_status: "delivered" | "pending" | "failed", seconds: number): void;
  /** From the event's row to its first attempt. */
  observeFirstAttempt(seconds: number): void;
  text(): Promise<{ type: string; body: string }>;
};

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ATTEMPT_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const LAG_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "pestle_" });
  const requests = new Histogram({
    name: "pestle_http_request_duration_seconds",
    help: "Time from the first byte of a request to the last of its answer.",
    labelNames: ["listener", "method", "route", "status"] as const,
    buckets: BUCKETS_S,
    registers: [registry],
  });
  const faults = new Counter({
    name: "pestle_faults_total",
    help: "Broken database connections and failed runs of background jobs.",
    labelNames: ["kind"] as const,
    registers: [registry],
  });
  const dropped = new Counter({
    name: "pestle_request_log_dropped_total",
    help: "Requests that are missing from the request log because it could not be written fast enough.",
    registers: [registry],
  });
  const ready = new Gauge({
    name: "pestle_ready",
    help: "1 while /readyz answers 200.",
    registers: [registry],
  });
  const safety = new Gauge({
    name: "pestle_safety_fit",
    help: "1 while orders are checked with the safety tables of this version, 0 while they are held instead.",
    labelNames: ["version"] as const,
    registers: [registry],
  });
  const attempts = new Histogram({
    name: "pestle_webhook_attempt_duration_seconds",
    help: "Time of a webhook attempt, by what the delivery was after it: delivered, pending (tried again) or failed.",
    labelNames: ["delivery_status"] as const,
    buckets: ATTEMPT_BUCKETS_S,
    registers: [registry],
  });
  const lag = new Histogram({
    name: "pestle_webhook_first_attempt_lag_seconds",
    help: "Time from the writing of an event to the first attempt to deliver it.",
    buckets: LAG_BUCKETS_S,
    registers: [registry],
  });
  return {
    observeRequest: (listener, method, route, status, seconds) =>
      requests.observe({ listener, method, route, status }, seconds),
    countFault: (kind) => faults.inc({ kind }),
    countDroppedRequests: (count) => dropped.inc(count),
    observeAttempt: (delivery_status, seconds) => attempts.observe({ delivery_status }, seconds),
    observeFirstAttempt: (seconds) => lag.observe(seconds),
    setReady: (value) => ready.set(value ? 1 : 0),
    setSafety: (version, fit) => {
      safety.reset();
      safety.set({ version }, fit ? 1 : 0);
    },
    text: async () => ({ type: registry.contentType, body: await registry.metrics() }),
  };
}
