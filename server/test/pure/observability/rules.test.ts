import { readFileSync } from "node:fs";
import { join } from "node:path";
import { endpoints } from "@pestle/contract";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { runtimeMetrics } from "../../../src/metrics/metrics.ts";
import { type MetricRow, metricTable } from "../../../src/metrics/metrics-table.ts";
import { ROOT } from "../../support/tools/doc-blocks.ts";

/** An expression of the rules or the dashboard, and where it is. */
type Used = { where: string; expr: string };

type Rule = { record?: string; alert?: string; expr: string };
const groups = (
  parse(readFileSync(join(ROOT, "deploy/prometheus/rules.yml"), "utf8")) as { groups: { rules: Rule[] }[] }
).groups;
const rules = groups.flatMap((group) => group.rules);
const recorded = new Set(rules.flatMap(({ record }) => record ?? []));

type Panel = {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { uid: string };
  targets?: { refId: string; expr: string; legendFormat: string }[];
};
const dashboard = JSON.parse(readFileSync(join(ROOT, "deploy/grafana/pestle.json"), "utf8")) as {
  uid: string;
  schemaVersion: number;
  templating: { list: { name: string; query: string }[] };
  panels: Panel[];
};

const used: Used[] = [
  ...rules.map(({ record, alert, expr }) => ({ where: record ?? alert ?? "", expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ where: title, expr }))),
];

const table: Record<string, MetricRow> = metricTable;
const runtime = new Map(runtimeMetrics().map(({ name, type }) => [name, type]));
/** Prometheus and the processes add these to any sample. */
const ADDED_LABELS = ["job", "instance", "process", "worker"];

/** The name in the table of a sample's name: that of a histogram without its ending. */
function metricOf(sample: string): string {
  const [, histogram = "", ending] = /^(.*)_(bucket|sum|count)$/.exec(sample) ?? [];
  const known =
    ending !== undefined && (table[histogram]?.type === "histogram" || runtime.get(histogram) === "histogram");
  return known ? histogram : sample;
}

/** Each selector of an expression: the sample's name and the labels with what they must match. */
function selectorsIn(expr: string) {
  return [...expr.matchAll(/\b(pestle[a-z0-9_:]*|up)\b(?:\{([^}]*)\})?/g)].map(([, sample = "", inside = ""]) => ({
    sample,
    labels: [...inside.matchAll(/(\w+)\s*(=~|!=|!~|=)\s*"((?:[^"\\]|\\.)*)"/g)].map(
      ([, name = "", how = "", value = ""]) => ({
        name,
        how,
        value: value.replaceAll("\\\\", "\\"),
      }),
    ),
  }));
}

const missing = ({ where, expr }: Used): string[] =>
  selectorsIn(expr)
    .map(({ sample }) => sample)
    .filter((sample) => sample !== "up" && !recorded.has(sample))
    .filter((sample) => {
      const metric = metricOf(sample);
      // A histogram has no sample of its bare name.
      return table[metric] === undefined
        ? !runtime.has(metric)
        : table[metric].type === "histogram" && metric === sample;
    })
    .map((sample) => `${where}: ${sample}`);

const wrongLabels = ({ where, expr }: Used): string[] =>
  selectorsIn(expr).flatMap(({ sample, labels }) => {
    const row = table[metricOf(sample)];
    if (row === undefined) return [];
    const known = [...row.labels, ...ADDED_LABELS, ...(sample.endsWith("_bucket") ? ["le"] : [])];
    const unknown = labels.filter(({ name }) => !known.includes(name)).map(({ name }) => `${where}: ${sample}.${name}`);
    const bounds = labels
      .filter(
        ({ name, how, value }) => name === "le" && !row.buckets?.some((bound) => matches(how, value, String(bound))),
      )
      .map(({ value }) => `${where}: ${sample} has no bucket ${value}`);
    return [...unknown, ...bounds];
  });

const matches = (how: string, value: string, text: string) =>
  how === "=" ? value === text : how === "=~" && new RegExp(`^(?:${value})$`).test(text);

test("every metric that a rule or a panel uses exists", () => {
  expect(used.length).toBeGreaterThan(100);
  expect(used.flatMap(missing)).toEqual([]);
});

test("every label that they select by exists, and every bucket", () => {
  expect(used.flatMap(wrongLabels)).toEqual([]);
});

test("labels that they group by or show are those of the metric", () => {
  const wrong = used.flatMap(({ where, expr }) => {
    const samples = selectorsIn(expr).map(({ sample }) => table[metricOf(sample)]);
    const known = new Set([...samples.flatMap((row) => row?.labels ?? []), ...ADDED_LABELS, "le", "slo"]);
    const grouped = [...expr.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)].flatMap(([, names = ""]) => names.split(/,\s*/));
    return grouped.filter((name) => name !== "" && !known.has(name)).map((name) => `${where}: ${name}`);
  });
  expect(wrong).toEqual([]);
});

test("the checks find a misspelled metric, label and bucket", () => {
  const wrong = { where: "x", expr: 'rate(pestle_htp_total[5m]) + pestle_ready{roles="api"}' };
  const bucket = { where: "y", expr: 'rate(pestle_http_request_duration_seconds_bucket{le="0.3"}[5m])' };
  expect(missing(wrong)).toEqual(["x: pestle_htp_total"]);
  expect(wrongLabels(wrong)).toEqual(["x: pestle_ready.roles"]);
  expect(wrongLabels(bucket)).toHaveLength(1);
  expect(missing({ where: "z", expr: "pestle_http_request_duration_seconds" })).toHaveLength(1);
});

test("every route that they select exists", () => {
  const routes = endpoints.flatMap(({ path }) => {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
    return [pattern, `/v1${pattern}`];
  });
  const selected = used.flatMap(({ where, expr }) =>
    selectorsIn(expr).flatMap(({ labels }) =>
      labels.filter(({ name }) => name === "route").map((label) => ({ where, ...label })),
    ),
  );
  expect(selected.length).toBeGreaterThan(10);
  const unserved = selected.filter(({ how, value }) => !routes.some((route) => matches(how, value, route)));
  expect(unserved).toEqual([]);
});

test("every gauge and counter of the table has an alert or a panel, or a reason", () => {
  const UNUSED: Record<string, string> = {
    pestle_provider_events_total: "an absence of messages means nothing by itself",
    pestle_replica_reads_total: "the primary answers what a replica does not",
    pestle_replica_up: "the same; /readyz and System health name the replica",
    pestle_replica_lag_seconds: "the same",
    pestle_trace_spans_dropped_total: "traces are no promise; docs/operators/metrics.md explains it",
  };
  const seen = new Set(used.flatMap(({ expr }) => selectorsIn(expr).map(({ sample }) => metricOf(sample))));
  expect(Object.keys(table).filter((name) => !seen.has(name) && !(name in UNUSED))).toEqual([]);
  expect(Object.keys(UNUSED).filter((name) => seen.has(name))).toEqual([]);
});

test("the dashboard is one that Grafana imports: panels with an id, a place of their own, a source and queries", () => {
  const { uid, schemaVersion, panels, templating } = dashboard;
  expect([uid, schemaVersion >= 36]).toEqual(["pestle", true]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const variables = templating.list.map(({ name }) => `$${name}`);
  for (const { type, title, description, gridPos, datasource, targets = [] } of panels) {
    expect([title, gridPos.x + gridPos.w <= 24]).toEqual([title, true]);
    if (type === "row") continue;
    expect(["timeseries", "stat"]).toContain(type);
    expect([title, variables.includes(datasource!.uid)]).toEqual([title, true]);
    expect([title, description !== undefined && targets.length > 0]).toEqual([title, true]);
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    const named = targets.flatMap(({ expr }) => expr.match(/\$\w+/g) ?? []);
    expect(named.filter((name) => name !== "$__rate_interval" && !variables.includes(name))).toEqual([]);
  }
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
