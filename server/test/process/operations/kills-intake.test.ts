import { expect, test } from "vitest";
import { countKept, type KeptMessage } from "../../../../chaos/kills/intake-ledger.ts";
import { openIntakeWorkload } from "../../../../chaos/kills/intake-workload.ts";
import { killWhileRunning, type RunningKind } from "../../../../chaos/kills/kills.ts";
import { seededRandom } from "../../../../chaos/random.ts";
import { TESTED } from "../../../../chaos/server-process.ts";

// A small run of the campaign: `npm run campaign -- intake` runs it at full size. All at once, because most of it is
// waiting; the longest wait is for the job that processes stored messages.
const KILLS = 1;
const TIMEOUT_MS = 300_000;

const promises: Record<RunningKind, string> = {
  server: "e-prescriptions that a killed service acknowledged are there once, and so are those it had only kept",
  database: "e-prescriptions survive their database, once, acknowledged or only kept",
  both: "e-prescriptions survive service and database killed at once, acknowledged or only kept",
};

for (const [kind, promise] of Object.entries(promises)) {
  test.concurrent(promise, { timeout: TIMEOUT_MS }, async () => {
    const options = { count: KILLS, random: seededRandom(3), from: TESTED };
    const tally = await killWhileRunning(kind as RunningKind, openIntakeWorkload, options);
    expect(tally).toMatchObject({ kinds: { [kind]: { kills: KILLS, lost: 0, doubled: 0 } }, faults: [] });
    const seen = tally.kinds[kind]!;
    expect(seen["checked"]).toBeGreaterThan(0);
    // The kill is targeted: it must have hit the time between storage and processing.
    expect(seen["waiting_at_kills"]).toBeGreaterThan(0);
  });
}

test("the campaign detects a lost prescription, one without its event and a duplicate", () => {
  const kept = (message_id: string, change: Partial<KeptMessage> = {}): KeptMessage => ({
    message_id,
    state: "processed",
    took_ms: 5,
    prescriptions: 1,
    events: 1,
    ...change,
  });
  const acknowledged = (...ids: string[]) => ids.map((message_id) => ({ message_id, body: Buffer.of(), answer: "" }));
  const waiting = { state: "received" as const, prescriptions: 0, events: 0 };
  expect(countKept(acknowledged("a", "b"), [kept("a"), kept("b")])).toEqual({ lost: 0, doubled: 0 });
  expect(countKept(acknowledged("a", "b"), [kept("a")])).toEqual({ lost: 1, doubled: 0 });
  expect(countKept(acknowledged("a"), [kept("a", { events: 0 })])).toEqual({ lost: 1, doubled: 0 });
  expect(countKept(acknowledged("a"), [kept("a", waiting)])).toEqual({ lost: 1, doubled: 0 });
  expect(countKept(acknowledged("a"), [kept("a", { prescriptions: 2 })])).toEqual({ lost: 0, doubled: 1 });
  expect(countKept(acknowledged("a"), [kept("a"), kept("b", { events: 2 })])).toEqual({ lost: 0, doubled: 1 });
  // The sender has no final answer yet and will ask again.
  expect(countKept([], [kept("a", waiting)])).toEqual({ lost: 0, doubled: 0 });
  const pending = [{ message_id: "a", body: Buffer.of(), answer: "<Status><Code>000</Code></Status>" }];
  expect(countKept(pending, [kept("a", waiting)])).toEqual({ lost: 0, doubled: 0 });
});
