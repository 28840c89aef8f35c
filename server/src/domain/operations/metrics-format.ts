/** How `/metrics` answers. Inside, the text is Prometheus's format with the exemplars of OpenMetrics. */
export type MetricsFormat = "prometheus" | "openmetrics";

export const METRICS_TYPES: Readonly<Record<MetricsFormat, string>> = {
  prometheus: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** Prometheus asks for OpenMetrics by name. Everything else gets the older format. */
export const metricsFormat = (accept: string | undefined): MetricsFormat =>
  /\bapplication\/openmetrics-text\b/.test(accept ?? "") ? "openmetrics" : "prometheus";

const EXEMPLAR = / # \{.*$/;
const TOTAL = /_total$/;

export function formattedMetrics(text: string, format: MetricsFormat): string {
  const lines = text.split("\n").filter((line) => line !== "");
  if (format === "prometheus") {
    return `${lines.map((line) => (line.startsWith("#") ? line : line.replace(EXEMPLAR, ""))).join("\n")}\n`;
  }
  const counters = new Set(
    lines.flatMap((line) => {
      const name = /^# TYPE (\S+) counter$/.exec(line)?.[1];
      return name === undefined ? [] : [name];
    }),
  );
  // There, a counter is named without the ending of its sample.
  const named = lines.map((line) => {
    const [, head, name = "", rest] = /^(# (?:HELP|TYPE) )(\S+)(.*)$/.exec(line) ?? [];
    return counters.has(name) ? `${head}${name.replace(TOTAL, "")}${rest}` : line;
  });
  return `${named.join("\n")}\n# EOF\n`;
}
