import type { Span, SpanAttributes, SpanKind } from "../domain/operations/span.ts";
import { isSampled, type TraceContext, type TraceSampler, traceparentOf } from "../domain/operations/trace-context.ts";

export type EndedSpan = {
  trace_id: string;
  span_id: string;
  parent_span_id: string | undefined;
  name: string;
  kind: SpanKind;
  /** Milliseconds since 1970, with a fraction. */
  began_ms: number;
  ended_ms: number;
  attributes: Record<string, string | number | boolean>;
  fault: string | undefined;
};

export type Tracer = {
  /**
   * Starts the first span of this process in a trace; undefined if the trace is not recorded. `parent`: the caller's. `quiet`: the
   * trace is recorded only if a span asks for it (`keep`), because most rounds of a job find nothing to do.
   */
  begin(
    name: string,
    kind: SpanKind,
    options?: { parent?: TraceContext | undefined; attributes?: SpanAttributes; quiet?: boolean },
  ): Span | undefined;
  /** Sends what is recorded. */
  close(): Promise<void>;
};

/** What all spans of a trace in this process share. */
type Trace = {
  trace_id: string;
  /** Added to the monotonic clock. One per trace, so that a clock that is set turns no span around. */
  clock_ms: number;
  kept: boolean;
  /** Spans that ended while it was open whether to keep them. */
  waiting: EndedSpan[];
  spans: number;
};

/** A request has about ten. The limit is for a job that works through a long list. */
const MOST_SPANS = 1_000;

export function createTracer(
  sampling: { sampler: TraceSampler; ratio: number },
  exporter: { add(span: EndedSpan): void; close(): Promise<void> },
): Tracer {
  return {
    begin(name, kind, { parent, attributes = {}, quiet = false } = {}) {
      const trace_id = parent?.trace_id ?? randomHex(32);
      if (!isSampled(sampling.sampler, sampling.ratio, trace_id, parent)) return undefined;
      const clock_ms = Date.now() - performance.now();
      const trace: Trace = { trace_id, clock_ms, kept: !quiet, waiting: [], spans: 0 };
      return startSpan(exporter, trace, parent?.span_id, name, kind, attributes, true);
    },
    close: () => exporter.close(),
  };
}

function startSpan(
  exporter: { add(span: EndedSpan): void },
  trace: Trace,
  parent_span_id: string | undefined,
  name: string,
  kind: SpanKind,
  attributes: SpanAttributes,
  first = false,
): Span {
  const { trace_id, clock_ms } = trace;
  const span_id = randomHex(16);
  const began_ms = clock_ms + performance.now();
  let ended = false;
  const ours: EndedSpan = {
    ...{ trace_id, span_id, parent_span_id, name, kind, began_ms, ended_ms: began_ms, fault: undefined },
    attributes: {},
  };
  const span: Span = {
    trace_id,
    traceparent: traceparentOf({ trace_id, span_id, sampled: true }),
    child: (name, kind = "internal", attributes = {}) => startSpan(exporter, trace, span_id, name, kind, attributes),
    set(attributes) {
      for (const key in attributes) {
        const value = attributes[key];
        if (value !== undefined) ours.attributes[key] = value;
      }
    },
    keep() {
      if (trace.kept) return;
      trace.kept = true;
      for (const one of trace.waiting) exporter.add(one);
      trace.waiting = [];
    },
    end(fault) {
      if (ended) return;
      ended = true;
      ours.ended_ms = clock_ms + performance.now();
      ours.fault = fault;
      if (fault !== undefined) span.keep();
      // The first span ends last and is always there, however many others are left out.
      if (!first && ++trace.spans > MOST_SPANS) return;
      if (first && trace.spans > MOST_SPANS) ours.attributes["pestle.spans_left_out"] = trace.spans - MOST_SPANS;
      if (trace.kept) exporter.add(ours);
      else if (first) trace.waiting = [];
      else trace.waiting.push(ours);
    },
  };
  span.set(attributes);
  return span;
}

/** Ids are labels, not secrets, so they need no cryptographic random numbers. */
function randomHex(digits: number): string {
  let text = "";
  while (text.length < digits)
    text += (0x1_0000_0000 + Math.floor(Math.random() * 0x1_0000_0000)).toString(16).slice(1);
  return text;
}
