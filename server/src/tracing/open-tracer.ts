import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { pairsIn } from "../domain/operations/trace-context.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { version } from "../version.ts";
import { otlpExporter } from "./exporter.ts";
import { createTracer, type Tracer } from "./tracer.ts";

/** A collector that is down for hours must not fill the log. */
const REPORT_EVERY_MS = 60_000;

/** The tracer of a process whose settings name a collector. */
export function openTracer(
  config: Config,
  { log, metrics, process: name }: { log: Logger; metrics: Metrics; process: "main" | "sandbox" },
): Tracer {
  const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME } =
    config;
  const resource = {
    "service.name": OTEL_SERVICE_NAME,
    "service.version": version,
    "process.pid": String(process.pid),
    "pestle.process": name,
    "pestle.roles": config.ROLES,
    ...Object.fromEntries(pairsIn(OTEL_RESOURCE_ATTRIBUTES) ?? []),
  };
  let reported_ms = Number.NEGATIVE_INFINITY;
  const exporter = otlpExporter(
    {
      url: `${OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
      headers: Object.fromEntries(pairsIn(OTEL_EXPORTER_OTLP_HEADERS) ?? []),
    },
    { resource, version },
    {
      onDropped: (count) => metrics.countDroppedSpans(count),
      onTrouble(fault) {
        if (performance.now() - reported_ms < REPORT_EVERY_MS) return;
        reported_ms = performance.now();
        log.warn({ fault }, "traces could not be sent");
      },
    },
  );
  const sampling = { sampler: config.OTEL_TRACES_SAMPLER, ratio: config.OTEL_TRACES_SAMPLER_ARG };
  return createTracer(sampling, exporter);
}
