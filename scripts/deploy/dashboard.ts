import { slos } from "./slos.ts";

type Panel = {
  title: string;
  /** What a person reads from it. */
  about: string;
  queries: readonly { expr: string; legend: string; exemplar?: true }[];
  unit: "reqps" | "s" | "percentunit" | "short" | "bytes" | "dateTimeFromNow" | "bool_yes_no";
  kind?: "timeseries" | "stat";
  width?: number;
};

const REQUESTS = "pestle_http_request_duration_seconds";
const HERE = 'job=~"$job"';
const LISTENED = `${HERE},environment=~"$environment"`;
const quantile = (q: number, metric: string, selector: string, by = "") =>
  `histogram_quantile(${q}, sum by (le${by}) (rate(${metric}_bucket{${selector}}[$__rate_interval])))`;

const rows: readonly { title: string; panels: readonly Panel[] }[] = [
  {
    title: "Promises",
    panels: [
      {
        title: "Errors left of 30 days",
        about: "How much of the allowed errors is left. Below 0, the promise of the last 30 days is broken.",
        queries: [
          {
            expr: "1 - avg_over_time(pestle:slo_errors:ratio_rate1h[30d]) / on (slo) (1 - pestle:slo_objective)",
            legend: "{{slo}}",
          },
        ],
        unit: "percentunit",
        kind: "stat",
        width: 24,
      },
      {
        title: "How fast errors are used up",
        about: "1 uses up exactly the errors of 30 days. The first alert comes at 14.4 for an hour.",
        queries: [{ expr: "pestle:slo_errors:ratio_rate1h / on (slo) (1 - pestle:slo_objective)", legend: "{{slo}}" }],
        unit: "short",
      },
      {
        title: "Requests and events that count, per hour",
        about: "With fewer than 50 in an hour, the alerts that page stay silent.",
        queries: [{ expr: "pestle:slo_events:increase1h", legend: "{{slo}}" }],
        unit: "short",
      },
    ],
  },
  {
    title: "Requests",
    panels: [
      {
        title: "Requests",
        about: "Per second, by listener.",
        queries: [
          {
            expr: `sum by (listener) (rate(${REQUESTS}_count{${LISTENED}}[$__rate_interval]))`,
            legend: "{{listener}}",
          },
        ],
        unit: "reqps",
      },
      {
        title: "Answers 4xx and 5xx",
        about: "Per second. 429 is a partner over its limit, 503 a full line or a database out of reach.",
        queries: [
          {
            expr: `sum by (status) (rate(${REQUESTS}_count{${LISTENED},status=~"[45].."}[$__rate_interval]))`,
            legend: "{{status}}",
          },
        ],
        unit: "reqps",
      },
      {
        title: "Duration of POST /orders",
        about: "With traces on, the dots are exemplars: open one to see its trace.",
        queries: [0.5, 0.99].map((q) => ({
          expr: quantile(q, REQUESTS, `${LISTENED},method="POST",route=~"(/v1)?/orders"`),
          legend: `p${100 * q}`,
          exemplar: true as const,
        })),
        unit: "s",
      },
      {
        title: "Slowest routes, p99",
        about: "The ten slowest.",
        queries: [
          {
            expr: `topk(10, ${quantile(0.99, REQUESTS, LISTENED, ", method, route")})`,
            legend: "{{method}} {{route}}",
          },
        ],
        unit: "s",
      },
      {
        title: "Duration of tokens, p99",
        about: "By listener: production and sandbox have one each.",
        queries: [
          { expr: quantile(0.99, REQUESTS, `${HERE},route="/oauth/token"`, ", listener"), legend: "{{listener}}" },
        ],
        unit: "s",
      },
      {
        title: "Duration of prescribers' messages, p99",
        about: "Intake of SCRIPT and FHIR.",
        queries: [
          { expr: quantile(0.99, REQUESTS, `${LISTENED},route=~"(/v1)?/intake/.+"`), legend: "p99", exemplar: true },
        ],
        unit: "s",
      },
    ],
  },
  {
    title: "Webhooks and other work",
    panels: [
      {
        title: "Time to the first attempt",
        about: "From the commit of an event to its first attempt.",
        queries: [0.5, 0.99].map((q) => ({
          expr: quantile(q, "pestle_webhook_first_attempt_lag_seconds", LISTENED),
          legend: `p${100 * q}`,
          exemplar: true as const,
        })),
        unit: "s",
      },
      {
        title: "Attempts by outcome",
        about: "Per second. Pending will be tried again, failed will not.",
        queries: [
          {
            expr: `sum by (delivery_status) (rate(pestle_webhook_attempt_duration_seconds_count{${HERE}}[$__rate_interval]))`,
            legend: "{{delivery_status}}",
          },
        ],
        unit: "reqps",
      },
      {
        title: "Overdue work",
        about: "Records that a job should have handled by now.",
        queries: [{ expr: `max by (what) (pestle_overdue_work{${HERE}})`, legend: "{{what}}" }],
        unit: "short",
      },
      {
        title: "Oldest overdue work",
        about: "The alert comes after five minutes for webhooks and prescriptions.",
        queries: [{ expr: `max by (what) (pestle_overdue_work_age_seconds{${HERE}})`, legend: "{{what}}" }],
        unit: "s",
      },
    ],
  },
  {
    title: "Providers",
    panels: [
      {
        title: "Calls of providers, p99",
        about: "With their retries.",
        queries: [
          {
            expr: quantile(0.99, "pestle_provider_request_duration_seconds", HERE, ", provider, what"),
            legend: "{{provider}}: {{what}}",
          },
        ],
        unit: "s",
      },
      {
        title: "Failed calls",
        about: "Per second. A provider that keeps failing is left alone for a while (breaker).",
        queries: [
          {
            expr: `sum by (provider) (rate(pestle_provider_request_duration_seconds_count{${HERE},outcome="failed"}[$__rate_interval]))`,
            legend: "{{provider}}",
          },
          { expr: `max by (provider) (pestle_provider_breaker_open{${HERE}})`, legend: "{{provider}}: breaker open" },
        ],
        unit: "short",
      },
    ],
  },
  {
    title: "Processes",
    panels: [
      {
        title: "Processor time",
        about: "Cores, by process. A process of Node uses little more than one.",
        queries: [
          {
            expr: `rate(pestle_process_cpu_seconds_total{${HERE}}[$__rate_interval])`,
            legend: "{{instance}} {{worker}} {{process}}",
          },
        ],
        unit: "short",
      },
      {
        title: "Memory",
        about: "Resident, by process.",
        queries: [
          { expr: `pestle_process_resident_memory_bytes{${HERE}}`, legend: "{{instance}} {{worker}} {{process}}" },
        ],
        unit: "bytes",
      },
      {
        title: "Lag of the event loop, p99",
        about: "Above a few milliseconds, the process has too much to do.",
        queries: [
          { expr: `pestle_nodejs_eventloop_lag_p99_seconds{${HERE}}`, legend: "{{instance}} {{worker}} {{process}}" },
        ],
        unit: "s",
      },
      {
        title: "Ready",
        about: "1 while /readyz answers 200.",
        queries: [{ expr: `pestle_ready{${HERE}}`, legend: "{{instance}}" }],
        unit: "short",
      },
      {
        title: "Faults",
        about: "Broken connections, failed jobs and ends of the sandbox's process, in five minutes.",
        queries: [{ expr: `sum by (kind) (increase(pestle_faults_total{${HERE}}[5m]))`, legend: "{{kind}}" }],
        unit: "short",
      },
      {
        title: "Versions and roles",
        about: "How many processes have them.",
        queries: [
          { expr: `count by (version, roles) (pestle_process_info{${HERE}})`, legend: "{{version}}: {{roles}}" },
        ],
        unit: "short",
      },
    ],
  },
  {
    title: "Database, backups and machine",
    panels: [
      {
        title: "Size of the database",
        about: "Plan the disk with the figures of the guide Operations.",
        queries: [{ expr: `max(pestle_database_size_bytes{${HERE}})`, legend: "size" }],
        unit: "bytes",
      },
      {
        title: "Replicas",
        about: "Servers and tools that receive the write-ahead log.",
        queries: [{ expr: `max(pestle_database_replicas{${HERE}})`, legend: "replicas" }],
        unit: "short",
      },
      {
        title: "Age of backup and archive",
        about: "Since the last complete `pestle backup`, and since the last archived WAL segment.",
        queries: [
          { expr: `time() - max(pestle_backup_timestamp_seconds{${HERE}})`, legend: "backup" },
          { expr: `time() - max(pestle_wal_archive_timestamp_seconds{${HERE}})`, legend: "WAL archive" },
          { expr: `time() - max(pestle_audit_root_timestamp_seconds{${HERE}})`, legend: "root of the audit log" },
        ],
        unit: "s",
      },
      {
        title: "Certificate, clock and disk",
        about: "Time until the certificate expires, and by how much the clock is ahead of the database's.",
        queries: [
          {
            expr: `min(pestle_certificate_expiry_timestamp_seconds{${HERE}}) - time()`,
            legend: "certificate expires in",
          },
          { expr: `pestle_clock_offset_seconds{${HERE}}`, legend: "clock of {{instance}}" },
        ],
        unit: "s",
      },
      {
        title: "Free space for DATA_DIR",
        about: "An embedded database stops when the disk is full.",
        queries: [{ expr: `pestle_data_dir_free_bytes{${HERE}}`, legend: "{{instance}}" }],
        unit: "bytes",
      },
    ],
  },
];

/** The variable of the dashboard that names the data source. */
const SOURCE = { type: "prometheus", uid: "$datasource" };
const FULL_WIDTH = 24;
const HEIGHT = 8;

/** Places panels from left to right, and rows below each other. */
function placed() {
  let [id, y] = [0, 0];
  return rows.flatMap(({ title, panels }) => {
    const row = {
      id: ++id,
      type: "row",
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: FULL_WIDTH, h: 1 },
    };
    y += 1;
    let x = 0;
    const below = panels.map((panel) => {
      const { width = FULL_WIDTH / 2 } = panel;
      if (x + width > FULL_WIDTH) [x, y] = [0, y + HEIGHT];
      const made = panelOf(panel, ++id, { x, y, w: width, h: HEIGHT });
      x += width;
      return made;
    });
    y += HEIGHT;
    return [row, ...below];
  });
}

const panelOf = (panel: Panel, id: number, gridPos: object) => ({
  id,
  type: panel.kind ?? "timeseries",
  title: panel.title,
  description: panel.about,
  datasource: SOURCE,
  gridPos,
  fieldConfig: {
    defaults: {
      unit: panel.unit,
      ...(panel.kind === "stat" && {
        thresholds: {
          mode: "absolute",
          steps: [
            { color: "red", value: null },
            { color: "orange", value: 0.1 },
            { color: "green", value: 0.5 },
          ],
        },
      }),
    },
    overrides: [],
  },
  options:
    panel.kind === "stat"
      ? {
          colorMode: "background",
          graphMode: "none",
          reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
        }
      : { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi", sort: "desc" } },
  targets: panel.queries.map(({ expr, legend, exemplar }, index) => ({
    refId: String.fromCharCode(65 + index),
    datasource: SOURCE,
    expr,
    legendFormat: legend,
    ...(panel.kind === "stat" && { instant: true }),
    ...(exemplar && { exemplar }),
  })),
});

/** deploy/grafana/pestle.json, in the schema that Grafana 9 and later import. */
export function dashboardFile(): string {
  const dashboard = {
    uid: "pestle",
    title: "Pestle",
    description: `Generated by npm run docs from scripts/deploy. Promises: ${slos.map(({ name }) => name).join(", ")}.`,
    tags: ["pestle"],
    schemaVersion: 38,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: "30s",
    time: { from: "now-6h", to: "now" },
    timezone: "",
    annotations: { list: [] },
    links: [],
    templating: {
      list: [
        { name: "datasource", label: "Data source", type: "datasource", query: "prometheus", current: {}, hide: 0 },
        {
          ...{
            name: "job",
            label: "Job",
            type: "query",
            datasource: SOURCE,
            refresh: 2,
            multi: true,
            includeAll: true,
          },
          ...{ query: "label_values(pestle_ready, job)", definition: "label_values(pestle_ready, job)", hide: 0 },
          ...{ allValue: "pestle.*", current: { text: "All", value: "$__all" } },
        },
        {
          ...{ name: "environment", label: "Environment", type: "custom", query: "production,sandbox" },
          ...{ multi: true, includeAll: true, allValue: ".*", hide: 0 },
          current: { text: "production", value: "production" },
        },
      ],
    },
    panels: placed(),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
