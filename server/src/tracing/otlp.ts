import type { SpanKind } from "../domain/operations/span.ts";
import type { EndedSpan } from "./tracer.ts";

/** The numbers of `SpanKind` and `StatusCode` in opentelemetry-proto. */
const KINDS: Record<SpanKind, number> = { internal: 1, server: 2, client: 3 };
const STATUS_ERROR = 2;

type Value = string | number | boolean;

/** The body of an OTLP/HTTP request in JSON: opentelemetry-proto, `ExportTraceServiceRequest`. */
export function otlpBody(
  resource: Readonly<Record<string, Value>>,
  version: string,
  spans: readonly EndedSpan[],
): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: "pestle", version }, spans: spans.map(otlpSpan) }],
      },
    ],
  });
}

const otlpSpan = (span: EndedSpan) => ({
  traceId: span.trace_id,
  spanId: span.span_id,
  ...(span.parent_span_id !== undefined && { parentSpanId: span.parent_span_id }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: nanoseconds(span.began_ms),
  endTimeUnixNano: nanoseconds(span.ended_ms),
  attributes: keyValues({ ...span.attributes, ...(span.fault !== undefined && { "error.type": span.fault }) }),
  ...(span.fault !== undefined && { status: { code: STATUS_ERROR } }),
});

const keyValues = (values: Readonly<Record<string, Value>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: Value) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  // A 64-bit integer is a string in JSON.
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** As text, because a number in JSON cannot hold so many digits. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${whole}${String(Math.floor((ms - whole) * 1e6)).padStart(6, "0")}`;
}
