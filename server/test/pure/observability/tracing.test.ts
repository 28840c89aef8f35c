import { afterEach, describe, expect, test } from "vitest";
import { labelOf } from "../../../src/db/statement-label.ts";
import { type Span, within } from "../../../src/domain/operations/span.ts";
import { isSampled, pairsIn, traceContextOf, traceparentOf } from "../../../src/domain/operations/trace-context.ts";
import { refuse } from "../../../src/domain/values/refusals.ts";
import { otlpExporter } from "../../../src/tracing/exporter.ts";
import { otlpBody } from "../../../src/tracing/otlp.ts";
import { createTracer, type EndedSpan } from "../../../src/tracing/tracer.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { spansAt } from "../../support/spans.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

describe("a traceparent", () => {
  test("of version 00 names trace, span and whether it is recorded", () => {
    const context = { trace_id: TRACE, span_id: SPAN, sampled: true };
    expect(traceContextOf(`00-${TRACE}-${SPAN}-01`)).toEqual(context);
    expect(traceContextOf(`00-${TRACE}-${SPAN}-00`)).toEqual({ ...context, sampled: false });
    // A later version may say more.
    expect(traceContextOf(`cc-${TRACE}-${SPAN}-03-more`)).toEqual(context);
    expect(traceparentOf(context)).toBe(`00-${TRACE}-${SPAN}-01`);
  });

  test.each([
    undefined,
    "",
    "anything",
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    // Two headers, as Node joins them.
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  ])("that is malformed counts as none: %s", (header) => {
    expect(traceContextOf(header)).toBeUndefined();
  });
});

describe("the sampler", () => {
  const parent = { trace_id: TRACE, span_id: SPAN, sampled: false };

  test("follows the caller only if it is named parentbased", () => {
    expect(isSampled("parentbased_always_on", 1, TRACE, parent)).toBe(false);
    expect(isSampled("parentbased_always_off", 1, TRACE, { ...parent, sampled: true })).toBe(true);
    expect(isSampled("always_on", 1, TRACE, parent)).toBe(true);
    expect(isSampled("always_off", 1, TRACE, { ...parent, sampled: true })).toBe(false);
    expect(isSampled("parentbased_always_on", 1, TRACE, undefined)).toBe(true);
  });

  test("with a ratio decides by the trace, so that all processes agree", () => {
    const ids = Array.from({ length: 1000 }, (_, n) => (n * 2654435761).toString(16).padStart(32, "9").slice(-32));
    const low = "0".repeat(18);
    expect(isSampled("traceidratio", 0.5, `${low}${"7".repeat(14)}`, undefined)).toBe(true);
    expect(isSampled("traceidratio", 0.5, `${low}${"8".repeat(14)}`, undefined)).toBe(false);
    expect(ids.every((id) => isSampled("traceidratio", 1, id, undefined))).toBe(true);
    expect(ids.some((id) => isSampled("traceidratio", 0, id, undefined))).toBe(false);
  });
});

test("the pairs of a setting are decoded, and a malformed one is noticed", () => {
  expect(pairsIn("a=b%20c, d = e=f ,")).toEqual([
    ["a", "b c"],
    ["d", "e=f"],
  ]);
  expect(pairsIn("")).toEqual([]);
  for (const wrong of ["a", "=b", "a=%zz"]) expect(pairsIn(wrong)).toBeUndefined();
});

describe("spans", () => {
  const record = () => {
    const ended: EndedSpan[] = [];
    const exporter = { add: (span: EndedSpan) => void ended.push(span), close: async () => {} };
    return { ended, tracer: createTracer({ sampler: "parentbased_always_on", ratio: 1 }, exporter) };
  };

  test("continue the trace of the caller, and one below the other", () => {
    const { ended, tracer } = record();
    const parent = { trace_id: TRACE, span_id: SPAN, sampled: true };
    const first = tracer.begin("GET /orders", "server", { parent, attributes: { a: 1, b: undefined } })!;
    within(first, "listOrders", (own) => own!.set({ "pestle.rows": 3 }));
    first.end("500");
    const [child, server] = ended as [EndedSpan, EndedSpan];
    expect(server).toMatchObject({ trace_id: TRACE, parent_span_id: SPAN, attributes: { a: 1 }, fault: "500" });
    expect(child).toMatchObject({ trace_id: TRACE, parent_span_id: server.span_id, attributes: { "pestle.rows": 3 } });
    expect(child.began_ms).toBeGreaterThanOrEqual(server.began_ms);
    expect(child.ended_ms).toBeLessThanOrEqual(server.ended_ms);
    expect(tracer.begin("GET /orders", "server", { parent: { ...parent, sampled: false } })).toBeUndefined();
  });

  test("end with the name of a fault and never its message; a refusal is no fault", async () => {
    const { ended, tracer } = record();
    const first = tracer.begin("POST /orders", "server")!;
    class DriverTrouble extends Error {}
    const failing = [
      () => Promise.reject(Object.assign(new Error("key (rosa@example.com)"), { code: "23505" })),
      () => Promise.reject(new DriverTrouble("rosa@example.com")),
      async () => refuse(42201, "patient.email"),
    ];
    for (const work of failing) await within(first, "step", work).catch(() => {});
    expect(() => within(first, "step", () => refuse(40000, "body"))).toThrow();
    expect(ended.map(({ fault }) => fault)).toEqual(["23505", "DriverTrouble", undefined, undefined]);
    expect(JSON.stringify(ended)).not.toContain("rosa");
  });

  test("of a quiet trace are recorded only if one asks for it", () => {
    const { ended, tracer } = record();
    const round = (work: (span: Span) => void) => {
      const first = tracer.begin("job fill-due", "internal", { quiet: true })!;
      first.child("select prescription").end();
      work(first);
      first.end();
      return ended.splice(0).map(({ name }) => name);
    };
    expect(round(() => {})).toEqual([]);
    expect(round((span) => span.keep())).toEqual(["select prescription", "job fill-due"]);
    expect(round((span) => span.child("transaction").end("40001"))).toEqual([
      "select prescription",
      "transaction",
      "job fill-due",
    ]);
  });

  test("are limited for each trace, and the first one says how many are left out", () => {
    const { ended, tracer } = record();
    const first = tracer.begin("job tidy", "internal")!;
    for (let n = 0; n < 1_200; n++) first.child("delete access_token").end();
    first.end();
    expect(ended).toHaveLength(1_001);
    expect(ended.at(-1)!.attributes).toEqual({ "pestle.spans_left_out": 200 });
  });

  test("become OTLP in JSON with numbers and times as the protocol wants them", () => {
    const span: EndedSpan = {
      ...{ trace_id: TRACE, span_id: SPAN, parent_span_id: undefined, name: "write", kind: "client", fault: "40001" },
      ...{ began_ms: 1_800_000_000_000.25, ended_ms: 1_800_000_000_001.5 },
      attributes: { text: "a", whole: 3, part: 0.5, yes: true },
    };
    const body = JSON.parse(otlpBody({ "service.name": "pestle" }, "1.2.3", [span]));
    expect(body.resourceSpans[0].scopeSpans[0]).toEqual({
      scope: { name: "pestle", version: "1.2.3" },
      spans: [
        {
          traceId: TRACE,
          spanId: SPAN,
          name: "write",
          kind: 3,
          startTimeUnixNano: "1800000000000250000",
          endTimeUnixNano: "1800000000001500000",
          attributes: [
            { key: "text", value: { stringValue: "a" } },
            { key: "whole", value: { intValue: "3" } },
            { key: "part", value: { doubleValue: 0.5 } },
            { key: "yes", value: { boolValue: true } },
            { key: "error.type", value: { stringValue: "40001" } },
          ],
          status: { code: 2 },
        },
      ],
    });
  });
});

describe("the exporter", () => {
  let collector: Receiver | undefined;
  afterEach(() => collector?.close());
  const span = (name: string): EndedSpan => ({
    ...{ trace_id: TRACE, span_id: SPAN, parent_span_id: undefined, name, kind: "internal", fault: undefined },
    ...{ began_ms: 1, ended_ms: 2, attributes: {} },
  });
  const open = (url: string, headers: Record<string, string> = {}) => {
    const [dropped, faults]: [number[], string[]] = [[], []];
    const exporter = otlpExporter(
      { url, headers },
      { resource: { "service.name": "pestle" }, version: "1" },
      { onDropped: (count) => void dropped.push(count), onTrouble: (fault) => void faults.push(fault) },
    );
    return { exporter, dropped, faults };
  };

  test("sends what is recorded when it closes, with the headers of the settings", async () => {
    collector = await openReceiver();
    const { exporter, dropped } = open(collector.url, { authorization: "Bearer one" });
    exporter.add(span("one"));
    exporter.add(span("two"));
    await exporter.close();
    expect(spansAt(collector).map(({ name }) => name)).toEqual(["one", "two"]);
    expect(collector.received[0]!.headers).toMatchObject({
      authorization: "Bearer one",
      "content-type": "application/json",
    });
    expect(dropped).toEqual([]);
  });

  test("keeps a batch that an overloaded collector did not take, and drops one that it refuses", async () => {
    let status = 503;
    collector = await openReceiver((_, response) => response.writeHead(status).end());
    const { exporter, dropped, faults } = open(collector.url);
    exporter.add(span("one"));
    await exporter.close();
    expect([dropped, faults]).toEqual([[], ["the collector answers 503"]]);
    status = 200;
    await exporter.close();
    expect(collector.received).toHaveLength(2);
    status = 400;
    exporter.add(span("two"));
    await exporter.close();
    expect([dropped, faults.at(-1)]).toEqual([[1], "the collector answers 400"]);
  });

  test("ends soon beside a collector that does not answer, and does not ask it again", async () => {
    collector = await openReceiver(() => {});
    const { exporter, faults } = open(collector.url);
    for (let n = 0; n < 1_000; n++) exporter.add(span("one"));
    await collector.arrived(1);
    await exporter.close();
    expect(faults).toHaveLength(1);
    expect(collector.received).toHaveLength(1);
  });

  test("holds a limited number of spans while the collector is down, and counts the others", async () => {
    const { exporter, dropped, faults } = open("http://127.0.0.1:9/v1/traces");
    for (let n = 0; n < 6_000; n++) exporter.add(span("one"));
    await exporter.close();
    const lost = dropped.reduce((sum, count) => sum + count, 0);
    expect(lost).toBeGreaterThanOrEqual(6_000 - 4_096 - 512);
    expect(lost).toBeLessThan(6_000 - 4_096 + 512);
    expect(faults[0]).toMatch(/^the collector is out of reach \(/);
  });
});

test.each([
  ["select * from load_order(account => $1)", "load_order"],
  ["select save_order(a => $1) as saved", "save_order"],
  ["select l.* from load_order($1) l", "load_order"],
  ["select max(q.rank) from queue_target q", "select queue_target"],
  [
    "with held as materialized (select a from unnest($1)) update webhook_delivery d set a = 1",
    "update webhook_delivery",
  ],
  ["insert into a (b) values ($1) on conflict do update set b = 1", "insert a"],
  ["with x as (select 1 from orders o) select * from x", "select orders"],
  ["select 1", "select"],
])("a statement is named by what it does: %s", (text, label) => {
  expect(labelOf({ name: text, text })).toBe(label);
});
