import { expect, test } from "vitest";
import { formattedMetrics, metricsFormat } from "../../../src/domain/operations/metrics-format.ts";
import { createMetrics, runtimeMetrics } from "../../../src/metrics/metrics.ts";
import { type MetricRow, metricTable } from "../../../src/metrics/metrics-table.ts";
import { mergedMetrics } from "../../../src/sandbox-process/merged-metrics.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";

function measured() {
  const metrics = createMetrics();
  metrics.observeRequest("partner", "production", "POST", "/orders", 201, 0.03, TRACE);
  metrics.observeRequest("partner", "production", "POST", "/orders", 201, 0.2);
  metrics.observeFirstAttempt("production", 0.02, TRACE);
  metrics.countFault("job");
  return metrics;
}

test("a reader of OpenMetrics finds the trace of a bucket's newest request, and each counter by its name there", async () => {
  const text = formattedMetrics(await measured().text(), "openmetrics");
  const bucket =
    'pestle_http_request_duration_seconds_bucket{le="0.05",listener="partner",environment="production",method="POST",route="/orders",status="201"} 1';
  expect(text).toContain(`\n${bucket} # {trace_id="${TRACE}"} 0.03 `);
  expect(text).toContain('route="/orders",status="201"} 2\n');
  expect(text).toContain(
    `pestle_webhook_first_attempt_lag_seconds_bucket{le="0.025",environment="production"} 1 # {trace_id="${TRACE}"} 0.02 `,
  );
  expect(text).toContain('# TYPE pestle_faults counter\npestle_faults_total{kind="job"} 1\n');
  expect(text).toMatch(/\n# EOF\n$/);
  expect(text).not.toContain("\n\n");
});

test("any other reader gets Prometheus's older format, without exemplars", async () => {
  const text = formattedMetrics(await measured().text(), "prometheus");
  expect(text).not.toContain("trace_id");
  expect(text).not.toContain("# EOF");
  expect(text).toContain("# TYPE pestle_faults_total counter");
  expect(text).toContain('pestle_webhook_first_attempt_lag_seconds_sum{environment="production"} 0.02\n');
});

test.each([
  [undefined, "prometheus"],
  ["*/*", "prometheus"],
  ["text/plain;version=0.0.4", "prometheus"],
  [
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,*/*;q=0.1",
    "openmetrics",
  ],
])("Accept %s gets %s", (accept, format) => {
  expect(metricsFormat(accept)).toBe(format);
});

test("the metrics of two processes keep their exemplars, and the label is the sample's own", async () => {
  const text = mergedMetrics(await measured().text(), await measured().text(), 'process="sandbox"');
  expect(text).toContain(
    `pestle_webhook_first_attempt_lag_seconds_bucket{process="sandbox",le="0.025",environment="production"} 1 # {trace_id="${TRACE}"} 0.02 `,
  );
  expect(formattedMetrics(text, "prometheus")).toContain(
    'pestle_webhook_first_attempt_lag_seconds_bucket{process="sandbox",le="0.025",environment="production"} 1\n',
  );
});

test("a gauge appears when it is set, and disappears when there is nothing to measure", async () => {
  const metrics = createMetrics();
  expect(await metrics.text()).not.toContain("pestle_backup_timestamp_seconds");
  metrics.setGauge("pestle_backup_timestamp_seconds", 1_800_000_000);
  metrics.setGauge("pestle_overdue_work", 3, { what: "webhooks" });
  const text = await metrics.text();
  expect(text).toContain("pestle_backup_timestamp_seconds 1800000000\n");
  expect(text).toContain('pestle_overdue_work{what="webhooks"} 3\n');
  metrics.setGauge("pestle_backup_timestamp_seconds", undefined);
  expect(await metrics.text()).not.toContain("pestle_backup_timestamp_seconds 18");
});

test("each metric is of the table or from Node, and named as Prometheus recommends", () => {
  const rows = Object.entries<MetricRow>(metricTable);
  const ours = new Set(rows.map(([name]) => name));
  const runtime = runtimeMetrics();
  expect(runtime.length).toBeGreaterThan(10);
  expect(runtime.filter(({ name }) => ours.has(name) || !name.startsWith("pestle_"))).toEqual([]);
  for (const [name, { type, buckets }] of rows) {
    expect(name).toMatch(/^pestle_[a-z_]+$/);
    expect([name, type === "counter"]).toEqual([name, name.endsWith("_total")]);
    expect([name, type === "histogram"]).toEqual([name, buckets !== undefined]);
  }
});
