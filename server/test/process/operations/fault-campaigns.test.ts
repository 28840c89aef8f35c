import { expect, test } from "vitest";
import { withOwnPostgres } from "../../../../chaos/campaigns/own-database.ts";
import { judgeLosses } from "../../../../chaos/failover/loss-ledger.ts";
import { killProcesses } from "../../../../chaos/kills/role-kills.ts";
import { injureNetwork } from "../../../../chaos/network/network.ts";
import { seededRandom } from "../../../../chaos/random.ts";
import { TESTED } from "../../../../chaos/server-process.ts";
import { openSoak } from "../../../../chaos/soak/soak.ts";
import { memoryFolder } from "../../../../scripts/memory-folder.ts";

// Small runs of the campaigns: `npm run campaign -- NAME` runs them at full size.
const TIMEOUT_MS = 300_000;
const CLIENTS = 2;
const given = () => ({ from: TESTED, random: seededRandom(7) });

test.concurrent("a service whose database connections are reset and whose answers are cut keeps every promise", {
  timeout: TIMEOUT_MS,
}, async () => {
  const only = ["database", "sandbox"] as const;
  const { faults, kinds, orders, addressed } = await withOwnPostgres(
    (own) => injureNetwork(own, { ...given(), faults: 2, only, clients: CLIENTS }),
    memoryFolder(),
  );
  expect(faults).toEqual([]);
  expect(kinds).toEqual({ "database reset": 1, "sandbox reset": 1 });
  expect(Math.min(orders, addressed)).toBeGreaterThan(0);
});

test.concurrent("a killed role and a database that an operator stops take nothing with them", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { faults, kinds, orders, tokens } = await withOwnPostgres(
    (own) => killProcesses(own, { ...given(), kills: ["token", "smart"], together: true, clients: CLIENTS }),
    memoryFolder(),
  );
  expect(faults).toEqual([]);
  expect(kinds).toEqual({ token: 1, smart: 1 });
  expect(Math.min(orders, tokens)).toBeGreaterThan(0);
});

test.concurrent("a soak gets the right answer to every kind of request, and measures both processes", {
  timeout: TIMEOUT_MS,
}, async () => {
  const tally = await withOwnPostgres(async (own) => {
    const soak = await openSoak(own, { from: TESTED, connections: 2 });
    return soak.send(150, seededRandom(7)).finally(() => soak.close());
  }, memoryFolder());
  expect(tally.faults).toEqual([]);
  expect(tally.requests).toBe(150);
  expect(tally.arrived).toBe(tally.events);
  expect(Object.keys(tally.samples[0]!.resident_bytes).sort()).toEqual(["main", "sandbox"]);
});

test("the ledger of losses notices an order that is missing outside of every loss", () => {
  const order = { order_number: "1", begun_ms: 10, answered_ms: 20 };
  const loss = (from_ms: number, until_ms: number) => ({ from_ms, until_ms, bytes: null });
  expect(judgeLosses([order], [loss(20, 30)])).toEqual([]);
  expect(judgeLosses([order], [loss(5, 10)])).toEqual([]);
  expect(judgeLosses([order], [loss(21, 30), loss(0, 9)])).toEqual([
    "an acknowledged order is missing, and no loss has its time",
  ]);
});
