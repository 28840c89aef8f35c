import type { Receiver } from "./receiver.ts";

export type SeenSpan = {
  trace_id: string;
  span_id: string;
  parent: string | undefined;
  name: string;
  failed: boolean;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
};

type KeyValue = { key: string; value: Record<string, unknown> };
const valuesOf = (pairs: KeyValue[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The spans that a receiver got as an OTLP collector. */
export const spansAt = ({ received }: Receiver): SeenSpan[] =>
  received.flatMap(({ body }) =>
    (JSON.parse(body) as { resourceSpans: OtlpResource[] }).resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({
          trace_id: span.traceId,
          span_id: span.spanId,
          parent: span.parentSpanId,
          name: span.name,
          failed: span.status?.code === 2,
          attributes: valuesOf(span.attributes),
          resource: valuesOf(resource.attributes),
        })),
      ),
    ),
  );

type OtlpResource = {
  resource: { attributes: KeyValue[] };
  scopeSpans: {
    spans: {
      traceId: string;
      spanId: string;
      parentSpanId?: string;
      name: string;
      attributes: KeyValue[];
      status?: { code: number };
    }[];
  }[];
};

/** The names from the first span of the process down to this one. */
export function pathOf(spans: readonly SeenSpan[], { name, parent }: SeenSpan): string[] {
  const above = spans.find(({ span_id }) => span_id === parent);
  return above === undefined ? [name] : [...pathOf(spans, above), name];
}
