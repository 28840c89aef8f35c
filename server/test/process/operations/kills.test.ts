import { expect, test } from "vitest";
import { killFirstStarts, killWhileRunning, type RunningKind } from "../../../../chaos/kills/kills.ts";
import { countMoves } from "../../../../chaos/kills/ledger.ts";
import { openTokenWorkload } from "../../../../chaos/kills/token-workload.ts";
import { seededRandom } from "../../../../chaos/random.ts";
import { TESTED } from "../../../../chaos/server-process.ts";

// A small run of the campaign: `npm run campaign -- kills` runs it at full size. All at once, because most of a kill
// is waiting: for the disk, for a program to load.
const options = () => ({ count: 1, random: seededRandom(20), from: TESTED });
const TIMEOUT_MS = 300_000;
const unharmed = (kind: string) => ({ kinds: { [kind]: { kills: 1, lost: 0, doubled: 0 } }, faults: [] });

const promises: Record<RunningKind, string> = {
  server: "a killed service, started again, has everything it acknowledged, once",
  database: "a service whose database is killed brings it back by itself and has everything it acknowledged, once",
  both: "service and database killed at once, started again, have everything that was acknowledged, once",
};

for (const [kind, promise] of Object.entries(promises)) {
  test.concurrent(promise, { timeout: TIMEOUT_MS }, async () => {
    const tally = await killWhileRunning(kind as RunningKind, openTokenWorkload, options());
    expect(tally).toMatchObject(unharmed(kind));
    expect(tally.kinds[kind]!["checked"]).toBeGreaterThan(0);
  });
}

test.concurrent("a plain start repairs the folder of a first start that was killed", {
  timeout: TIMEOUT_MS,
}, async () => {
  const tally = await killFirstStarts(options());
  expect(tally).toMatchObject(unharmed("first_start"));
  expect(tally.kinds["first_start"]!["checked"]).toBe(3);
});

test("the campaign detects a lost move and a doubled one", () => {
  expect(countMoves([1, 2, 3, 4])).toEqual({ lost: 0, doubled: 0 });
  expect(countMoves([1, 2, 2, 3])).toEqual({ lost: 1, doubled: 0 });
  expect(countMoves([1, 2, 4])).toEqual({ lost: 0, doubled: 1 });
});
