/** Where a span is in its trace (W3C Trace Context). */
export type TraceContext = { trace_id: string; span_id: string; sampled: boolean };

export const TRACE_SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;
export type TraceSampler = (typeof TRACE_SAMPLERS)[number];

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
const SAMPLED_FLAG = 1;

/** Reads a `traceparent` header. Undefined if it is missing or malformed: the trace then begins here. */
export function traceContextOf(header: string | undefined): TraceContext | undefined {
  const [, version, trace_id, span_id, flags, more] = TRACEPARENT.exec(header ?? "") ?? [];
  if (trace_id === undefined || span_id === undefined || version === "ff") return undefined;
  // Only a later version may have more fields.
  if (version === "00" && more !== undefined) return undefined;
  if (ZEROS.test(trace_id) || ZEROS.test(span_id)) return undefined;
  return { trace_id, span_id, sampled: (Number.parseInt(flags!, 16) & SAMPLED_FLAG) !== 0 };
}

export const traceparentOf = ({ trace_id, span_id, sampled }: TraceContext): string =>
  `00-${trace_id}-${span_id}-${sampled ? "01" : "00"}`;

/** Of 14 hexadecimal digits. The specification takes the ratio of the last seven bytes of the trace id. */
const RANDOM_DIGITS = 14;

/** Whether to record a trace, by the names of OTEL_TRACES_SAMPLER. */
export function isSampled(
  sampler: TraceSampler,
  ratio: number,
  trace_id: string,
  parent: TraceContext | undefined,
): boolean {
  if (parent !== undefined && sampler.startsWith("parentbased_")) return parent.sampled;
  if (sampler.endsWith("always_on")) return true;
  if (sampler.endsWith("always_off")) return false;
  return Number.parseInt(trace_id.slice(-RANDOM_DIGITS), 16) < ratio * 16 ** RANDOM_DIGITS;
}

/** The pairs of OTEL_RESOURCE_ATTRIBUTES or OTEL_EXPORTER_OTLP_HEADERS; undefined if the text is malformed. */
export function pairsIn(text: string): [name: string, value: string][] | undefined {
  const pairs: [string, string][] = [];
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const [, name, value] = /^\s*([^\s=,]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    if (name === undefined || value === undefined) return undefined;
    try {
      pairs.push([name, decodeURIComponent(value)]);
    } catch {
      return undefined;
    }
  }
  return pairs;
}
