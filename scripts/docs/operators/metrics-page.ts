import { runtimeMetrics } from "../../../server/src/metrics/metrics.ts";
import { type MetricRow, metricTable } from "../../../server/src/metrics/metrics-table.ts";
import { alerts } from "../../deploy/alerts.ts";
import { slos } from "../../deploy/slos.ts";
import { code, generated, page, table } from "../markdown.ts";

/** docs/operators/metrics.md */
export function metricsPage() {
  const ours = Object.entries<MetricRow>(metricTable).map(([name, { type, labels, meaning }]) => [
    code(name),
    type,
    labels.map(code).join(", "),
    meaning,
  ]);
  const runtime = runtimeMetrics().map(({ name, type, meaning }) => [code(name), type, meaning]);
  return page(
    generated("`server/src/metrics/metrics-table.ts` and `scripts/deploy`"),
    "# Metrics, promises and alerts\n",
    "You will know what every metric measures, what the service promises, and which alert tells you what to do. `/metrics` answers in Prometheus's format, or in OpenMetrics if the reader asks for it. With [traces](../guides/operations.md#traces) on, the buckets of the histograms then have exemplars: the newest trace of each. Samples of the sandbox's process have the label `process`, and those of workers the label `worker`.\n",
    table(["metric", "kind", "labels", "meaning"], ours),
    "\n## Promises\n",
    "The rules in `deploy/prometheus` measure them over 30 days, for production. An alert comes when the allowed errors are used up too fast: 14.4 times as fast for an hour or 6 times for six hours (page), 3 times for a day or as fast for three days (ticket). With fewer than 50 requests in an hour, no person is paged.\n",
    table(
      ["promise", "share", "of"],
      slos.map(({ name, objective, promise }) => [code(name), `${Number((100 * objective).toFixed(2))} %`, promise]),
    ),
    "\n## Alerts\n",
    table(
      ["alert", "severity", "after", "meaning", "action"],
      alerts.map(({ name, severity, for: lasting, summary, action }) => [
        code(name),
        severity,
        lasting,
        summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, "(a label: $1)").replaceAll("{{ $value }}", "some"),
        action,
      ]),
    ),
    "\n## Node's own\n",
    table(["metric", "kind", "meaning"], runtime),
  );
}
