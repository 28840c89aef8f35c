import type { Environment } from "@pestle/contract";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type TimeHistogram, timeHistogram } from "./histogram.ts";
import { type LabelsOf, type MetricName, type MetricRow, type MetricsOf, metricTable } from "./metrics-table.ts";

export type Metrics = {
  /** `environment` is empty for a request that belongs to no account. */
  observeRequest(
    listener: string,
    environment: Environment | "",
    method: string,
    route: string,
    status: number,
    seconds: number,
    trace_id?: string,
  ): void;
  countFault(kind: "database" | "job" | "sandbox_process"): void;
  /** Whether the process of the sandbox accepts requests. */
  setSandboxProcess(up: boolean): void;
  /** Requests dropped from the request log. */
  countDroppedRequests(count: number): void;
  /** Spans of traces that the collector did not receive. */
  countDroppedSpans(count: number): void;
  setReady(ready: boolean): void;
  /** The active safety tables' version, and whether they are fit. */
  setSafety(version: string, fit: boolean): void;
  /** The result and duration of a webhook attempt. */
  observeAttempt(delivery_status: "delivered" | "pending" | "failed", seconds: number, trace_id?: string): void;
  /** The time from writing an event to its first delivery attempt. */
  observeFirstAttempt(environment: Environment, seconds: number, trace_id?: string): void;
  /** The time of the newest signed root of the audit log, and the roots that each destination lacks. */
  setAuditRoots(newest: Date | undefined, unshipped: readonly { name: string; waiting: number }[]): void;
  /** A call of an outside service. */
  observeProvider(provider: string, what: string, outcome: "answered" | "failed", seconds: number): void;
  /** Whether calls of an outside service are refused because it failed too often. */
  setBreaker(provider: string, open: boolean): void;
  /** A signed message of an outside service. `unknown`: it is about nothing of ours. */
  countProviderEvent(provider: string, outcome: "taken" | "unknown"): void;
  /** A read that a replica may answer, by who did: a replica, or the primary because they all were behind or out of reach. */
  countRead(answered: "replica" | "behind" | "out_of_reach" | "failed"): void;
  /** Whether a replica answers reads, and the seconds that it is behind at most; undefined if that is unknown. */
  setReplica(name: string, up: boolean, lag_s: number | undefined): void;
  /** A measured value; undefined removes it. */
  setGauge<Name extends MetricsOf<"gauge">>(
    name: Name,
    value: number | undefined,
    ...labels: LabelsOf<Name> extends Readonly<Record<string, never>> ? [] : [labels: LabelsOf<Name>]
  ): void;
  /** In Prometheus's format, with exemplars. */
  text(): Promise<string>;
};

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "pestle_" });
  const rows = Object.entries<MetricRow>(metricTable);
  const made = <Made>(type: MetricRow["type"], make: (name: string, row: MetricRow) => Made) =>
    new Map(rows.filter(([, row]) => row.type === type).map(([name, row]) => [name as MetricName, make(name, row)]));
  const counters = made("counter", (name, { meaning, labels }) => {
    return new Counter({ name, help: meaning, labelNames: labels, registers: [registry] });
  });
  // A gauge that was never set is absent.
  const gauges = made("gauge", (name, { meaning, labels }) => {
    return new Gauge({ name, help: meaning, labelNames: labels, registers: [] });
  });
  const histograms = made("histogram", timeHistogram);
  const count = <Name extends MetricsOf<"counter">>(name: Name, labels: LabelsOf<Name>, by = 1) =>
    counters.get(name)!.inc(labels as Record<string, string>, by);
  const histogram = (name: MetricsOf<"histogram">): TimeHistogram => histograms.get(name)!;
  const [requests, attempts, lags, calls] = [
    histogram("pestle_http_request_duration_seconds"),
    histogram("pestle_webhook_attempt_duration_seconds"),
    histogram("pestle_webhook_first_attempt_lag_seconds"),
    histogram("pestle_provider_request_duration_seconds"),
  ];
  const setGauge = (name: MetricsOf<"gauge">, value: number | undefined, labels: Record<string, string> = {}) => {
    const gauge = gauges.get(name)!;
    if (value === undefined) {
      gauge.remove(labels);
      return;
    }
    registry.registerMetric(gauge);
    gauge.set(labels, value);
  };
  return {
    observeRequest: (listener, environment, method, route, status, seconds, trace_id) =>
      requests.observe(
        `${listener} ${environment} ${method} ${status} ${route}`,
        [listener, environment, method, route, String(status)],
        seconds,
        trace_id,
      ),
    countFault: (kind) => count("pestle_faults_total", { kind }),
    countDroppedRequests: (dropped) => count("pestle_request_log_dropped_total", {}, dropped),
    countDroppedSpans: (dropped) => count("pestle_trace_spans_dropped_total", {}, dropped),
    observeAttempt: (delivery_status, seconds, trace_id) =>
      attempts.observe(delivery_status, [delivery_status], seconds, trace_id),
    observeFirstAttempt: (environment, seconds, trace_id) =>
      lags.observe(environment, [environment], seconds, trace_id),
    setReady: (value) => setGauge("pestle_ready", value ? 1 : 0),
    setSandboxProcess: (up) => setGauge("pestle_sandbox_process_up", up ? 1 : 0),
    setSafety: (version, fit) => {
      gauges.get("pestle_safety_fit")!.reset();
      setGauge("pestle_safety_fit", fit ? 1 : 0, { version });
    },
    setAuditRoots: (newest, unshipped) => {
      if (newest !== undefined) setGauge("pestle_audit_root_timestamp_seconds", newest.getTime() / 1000);
      for (const { name, waiting } of unshipped) {
        setGauge("pestle_audit_roots_unshipped", waiting, { destination: name });
      }
    },
    observeProvider: (provider, what, outcome, seconds) =>
      calls.observe(`${provider} ${outcome} ${what}`, [provider, what, outcome], seconds),
    setBreaker: (provider, open) => setGauge("pestle_provider_breaker_open", open ? 1 : 0, { provider }),
    countProviderEvent: (provider, outcome) => count("pestle_provider_events_total", { provider, outcome }),
    countRead: (answered) => count("pestle_replica_reads_total", { answered }),
    setReplica: (replica, up, lag_s) => {
      setGauge("pestle_replica_up", up ? 1 : 0, { replica });
      setGauge("pestle_replica_lag_seconds", lag_s, { replica });
    },
    setGauge: setGauge as Metrics["setGauge"],
    text: async () => [await registry.metrics(), ...[...histograms.values()].map((one) => one.text())].join("\n"),
  };
}

/** The names of the metrics that the library collects from Node, with their kinds. */
export function runtimeMetrics(): { name: string; type: string; meaning: string }[] {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "pestle_" });
  return registry.getMetricsAsArray().map(({ name, help, type }) => ({ name, type: String(type), meaning: help }));
}
