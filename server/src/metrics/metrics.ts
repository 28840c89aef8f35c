import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = {
  observeRequest(listener: string, method: string, route: string, status: number, seconds: number): void;
  countFault(kind: "database" | "job" | "sandbox_process"): void;
  /** Whether the process of the sandbox accepts requests. */
  setSandboxProcess(up: boolean): void;
  /** Requests dropped from the request log. */
  countDroppedRequests(count: number): void;
  setReady(ready: boolean): void;
  /** The active safety tables' version, and whether they are fit. */
  setSafety(version: string, fit: boolean): void;
  /** The result and duration of a webhook attempt. */
  observeAttempt(delivery_status: "delivered" | "pending" | "failed", seconds: number): void;
  /** The time from writing an event to its first delivery attempt. */
  observeFirstAttempt(seconds: number): void;
  /** The time of the newest signed root of the audit log, and the roots that each destination lacks. */
  setAuditRoots(newest: Date | undefined, unshipped: readonly { name: string; waiting: number }[]): void;
  /** A call of an outside service. */
  observeProvider(provider: string, what: string, outcome: "answered" | "failed", seconds: number): void;
  /** Whether calls of an outside service are refused because it failed too often. */
  setBreaker(provider: string, open: boolean): void;
  /** A signed message of an outside service. `unknown`: it is about nothing of ours. */
  countProviderEvent(provider: string, outcome: "taken" | "unknown"): void;
  text(): Promise<{ type: string; body: string }>;
};

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const ATTEMPT_BUCKETS_S = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];
const LAG_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600];

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "pestle_" });
  const requests = requestTimes();
  const provider_events = new Counter({
    name: "pestle_provider_events_total",
    help: "Signed messages of payment, carrier and message providers, by outcome.",
    labelNames: ["provider", "outcome"],
    registers: [registry],
  });
  const faults = new Counter({
    name: "pestle_faults_total",
    help: "Broken database connections, failed runs of background jobs and unexpected ends of the sandbox process.",
    labelNames: ["kind"] as const,
    registers: [registry],
  });
  const dropped = new Counter({
    name: "pestle_request_log_dropped_total",
    help: "Requests missing from the request log because it could not be written fast enough.",
    registers: [registry],
  });
  const ready = new Gauge({
    name: "pestle_ready",
    help: "1 while /readyz answers 200.",
    registers: [registry],
  });
  const safety = new Gauge({
    name: "pestle_safety_fit",
    help: "1 while orders are checked against this version of the safety tables, 0 while they are put on hold instead.",
    labelNames: ["version"] as const,
    registers: [registry],
  });
  const sandbox_up = new Gauge({
    name: "pestle_sandbox_process_up",
    help: "1 while the process of the sandbox accepts requests; absent if the sandbox has none of its own.",
    labelNames: [] as const,
    registers: [],
  });
  const attempts = new Histogram({
    name: "pestle_webhook_attempt_duration_seconds",
    help: "Duration of a webhook attempt, by the delivery's status after it: delivered, pending (will retry) or failed.",
    labelNames: ["delivery_status"] as const,
    buckets: ATTEMPT_BUCKETS_S,
    registers: [registry],
  });
  const lag = new Histogram({
    name: "pestle_webhook_first_attempt_lag_seconds",
    help: "Time from writing an event to its first delivery attempt.",
    buckets: LAG_BUCKETS_S,
    registers: [registry],
  });
  const root_time = new Gauge({
    name: "pestle_audit_root_timestamp_seconds",
    help: "When the newest root of the audit log was signed. One is signed every hour.",
    registers: [registry],
  });
  const unshipped_roots = new Gauge({
    name: "pestle_audit_roots_unshipped",
    help: "Signed roots of the audit log that a destination of AUDIT_ROOTS_TO has not received.",
    labelNames: ["destination"] as const,
    registers: [registry],
  });
  const provider_calls = new Histogram({
    name: "pestle_provider_request_duration_seconds",
    help: "Duration of a call of a payment, carrier, address or message provider, with its retries.",
    labelNames: ["provider", "what", "outcome"] as const,
    buckets: ATTEMPT_BUCKETS_S,
    registers: [registry],
  });
  const breakers = new Gauge({
    name: "pestle_provider_breaker_open",
    help: "1 while calls of a provider are refused because it failed several times in a row.",
    labelNames: ["provider"] as const,
    registers: [registry],
  });
  return {
    observeRequest: requests.observe,
    countFault: (kind) => faults.inc({ kind }),
    countDroppedRequests: (count) => dropped.inc(count),
    observeAttempt: (delivery_status, seconds) => attempts.observe({ delivery_status }, seconds),
    observeFirstAttempt: (seconds) => lag.observe(seconds),
    setReady: (value) => ready.set(value ? 1 : 0),
    setSandboxProcess: (up) => {
      registry.registerMetric(sandbox_up);
      sandbox_up.set(up ? 1 : 0);
    },
    setSafety: (version, fit) => {
      safety.reset();
      safety.set({ version }, fit ? 1 : 0);
    },
    setAuditRoots: (newest, unshipped) => {
      if (newest !== undefined) root_time.set(newest.getTime() / 1000);
      for (const { name, waiting } of unshipped) unshipped_roots.set({ destination: name }, waiting);
    },
    observeProvider: (provider, what, outcome, seconds) => provider_calls.observe({ provider, what, outcome }, seconds),
    setBreaker: (provider, open) => breakers.set({ provider }, open ? 1 : 0),
    countProviderEvent: (provider, outcome) => provider_events.inc({ provider, outcome }),
    text: async () => ({ type: registry.contentType, body: `${await registry.metrics()}\n${requests.text()}` }),
  };
}

/** `counts` has one entry per bucket and one for longer requests. */
type RequestSeries = { labels: string; counts: number[]; sum_s: number };

/**
 * The histogram of requests. The library would sort and join the labels of every request, which takes longer than
 * routing it.
 */
function requestTimes() {
  const name = "pestle_http_request_duration_seconds";
  const series = new Map<string, RequestSeries>();
  return {
    observe(listener: string, method: string, route: string, status: number, seconds: number): void {
      const key = `${listener} ${method} ${status} ${route}`;
      let one = series.get(key);
      if (one === undefined) {
        const labels = `listener="${listener}",method="${method}",route="${route}",status="${status}"`;
        one = { labels, counts: new Array<number>(BUCKETS_S.length + 1).fill(0), sum_s: 0 };
        series.set(key, one);
      }
      let bucket = 0;
      while (bucket < BUCKETS_S.length && seconds > BUCKETS_S[bucket]!) bucket++;
      one.counts[bucket]! += 1;
      one.sum_s += seconds;
    },
    text(): string {
      const lines = [
        `# HELP ${name} Time from the first byte of a request to the last byte of its response.`,
        `# TYPE ${name} histogram`,
      ];
      for (const { labels, counts, sum_s } of series.values()) {
        let within = 0;
        for (const [index, count] of counts.entries()) {
          within += count;
          lines.push(`${name}_bucket{le="${BUCKETS_S[index] ?? "+Inf"}",${labels}} ${within}`);
        }
        lines.push(`${name}_sum{${labels}} ${sum_s}`, `${name}_count{${labels}} ${within}`);
      }
      return `${lines.join("\n")}\n`;
    },
  };
}
