import { describe, expect, test } from "vitest";
import { TESTED } from "../../../../chaos/server-process.ts";
import { attackNames } from "../../../../chaos/siege/attacks.ts";
import { campaignHostile } from "../../../../chaos/siege/hostile.ts";
import { campaignNeighbors } from "../../../../chaos/siege/neighbors.ts";
import { growth, median } from "../../../../chaos/siege/siege.ts";

// Small runs of `npm run campaign -- hostile` and `-- neighbors`. They show that every attack happens, that each is
// counted and that the service survives. A loaded machine measures nothing, so no figure is checked here.
const SMALL = { from: TESTED, strength: 0.25, events: 3 };
const TIMEOUT_MS = 300_000;

describe.concurrent("the campaigns", () => {
  test("hostile: every attack reaches the service, which refuses without an unannounced 5xx", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { attacks, rounds, after, memory, faults } = await campaignHostile({
      ...SMALL,
      duration_ms: 4_000,
      rounds: 2,
    });
    expect(faults).toEqual([]);
    expect(Object.keys(attacks)).toEqual(attackNames);
    for (const [name, { sent, answers }] of Object.entries(attacks)) {
      const counted = Object.values(answers).reduce((sum, one) => sum + one, 0);
      expect([name, counted]).toEqual([name, sent]);
      expect(sent).toBeGreaterThan(0);
    }
    for (const { count, not_ok } of [...rounds.map(({ during }) => during), after]) {
      expect(count).toBeGreaterThan(0);
      expect(not_ok).toEqual([]);
    }
    expect(rounds).toHaveLength(2);
    expect(memory.samples).toBeGreaterThan(0);
    expect(memory.last_bytes).toBeGreaterThan(2 ** 20);
  });

  test("neighbors: the flood hits the bare server and the service in turn", { timeout: TIMEOUT_MS }, async () => {
    const size = { ...SMALL, rounds: 2, round_ms: 1_000, warm_up_ms: 0 };
    const { rounds, attacks, ratio, faults } = await campaignNeighbors(size);
    expect(faults).toEqual([]);
    expect(rounds).toHaveLength(2);
    expect(Object.keys(attacks)).toEqual(["noise", "deep_pages", "big_events", "unknown_fields"]);
    for (const { sent } of Object.values(attacks)) expect(sent).toBeGreaterThan(0);
    expect(ratio).toBeGreaterThan(0);
  });
});

test("growth is that of the last two thirds, and a spike at the start does not count", () => {
  expect(growth([500, 900, 300, 100, 100, 100, 100, 100, 100])).toBe(0);
  expect(growth([0, 0, 0, 100, 102, 104, 106, 108, 110])).toBeCloseTo(10 / 105, 5);
  expect(growth([7])).toBe(0);
  expect(median([3, 1, 2])).toBe(2);
});
