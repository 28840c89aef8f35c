import { expect, test } from "vitest";
import { benchSafety } from "../../../../bench/safety.ts";

// It runs and finds something. A busy machine says nothing about the times.
test("the safety bench reports the check of an order and the cost of the tables", async () => {
  const { text, json } = await benchSafety({ rounds: 1 }, { from: "source", orders: 200 });
  expect(json).toMatchObject({ bench: "safety", rounds: 1, orders: 200, reached: expect.any(Boolean) });
  for (const figure of ["p50_ms", "p99_ms", "load_ms", "tables_mb", "findings_per_order"]) {
    expect([figure, Number(json[figure]) > 0]).toEqual([figure, true]);
  }
  expect(text).toContain("memory of the tables");
}, 120_000);
