import { choice, line, matching, type Setting } from "@pestle/cli/setting";
import { pairsIn, TRACE_SAMPLERS } from "../domain/operations/trace-context.ts";

/** The settings of traces, with OpenTelemetry's names. A part of the table in config.ts. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: "",
    meaning: "OpenTelemetry collector that receives traces, without `/v1/traces`. If unset, Pestle records none.",
    fix: "an http(s) URL without a trailing slash, such as http://127.0.0.1:4318",
    parse: (value: string) =>
      value === "" || URL.canParse(value)
        ? matching(/^$|^https?:\/\/[^\s/?#@]+(\/[^\s?#]*[^\s?#/])?$/, value)
        : undefined,
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: choice("http/json", ["http/json"], "Pestle speaks this form of OTLP alone."),
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: "",
    meaning: "Headers for the collector, such as a token.",
    fix: "pairs of a name and a URL-encoded value, such as authorization=Bearer%20token,x-team=pharmacy",
    secret: true,
    parse: (value: string) => {
      const pairs = pairsIn(value);
      return pairs?.every(([name, text]) => HEADER_NAME.test(name) && HEADER_VALUE.test(text)) ? value : undefined;
    },
  },
  OTEL_SERVICE_NAME: line("pestle", 100, "Name of this service in traces."),
  OTEL_RESOURCE_ATTRIBUTES: {
    default: "",
    meaning: "What else traces say about this process.",
    fix: "pairs of a name and a URL-encoded value, such as deployment.environment.name=production",
    parse: (value: string) => (pairsIn(value) === undefined ? undefined : value),
  },
  OTEL_TRACES_SAMPLER: choice(
    "parentbased_always_on",
    TRACE_SAMPLERS,
    "Which requests and jobs are traced. With `parentbased_`, the `traceparent` of a partner decides for its requests.",
  ),
  OTEL_TRACES_SAMPLER_ARG: {
    default: "1",
    meaning: "The share of traces that the samplers with `traceidratio` record.",
    fix: "a number from 0 to 1, such as 0.05",
    parse: (value: string) => (/^(0|1|0?\.\d{1,9}|[01]\.0+)$/.test(value) ? Number(value) : undefined),
  },
} satisfies Record<string, Setting>;

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const HEADER_VALUE = /^[\x20-\x7e]*$/;
