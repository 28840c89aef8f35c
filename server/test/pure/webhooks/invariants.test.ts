import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { judgeFeed, missedEvents } from "../../../../chaos/failover/feed-reader.ts";
import { judgeJourneys, judgeMoment } from "../../../../chaos/failover/journey-ledger.ts";
import { addStage, NO_FAILOVER } from "../../../../chaos/failover/stages.ts";
import { campaigns } from "../../../../chaos/invariants/campaigns.ts";
import { databaseInvariants } from "../../../../chaos/invariants/in-database.ts";
import { invariants, judgedInvariants } from "../../../../chaos/invariants/invariants.ts";
import { seededBugs, withBug } from "../../../../chaos/invariants/seeded-bugs.ts";
import { readTally } from "../../../../chaos/tally.ts";

const read = (file: string) => readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8");

test("every campaign that is named runs, and every invariant has a campaign that checks it", () => {
  const main = read("chaos/main.ts");
  for (const campaign of campaigns) expect(main, campaign).toContain(`\n  ${campaign}: {\n    about:`);
  for (const { name, campaigns: own } of invariants) expect(own.length, name).toBeGreaterThan(0);
  const checked = new Set(invariants.flatMap(({ campaigns: own }) => own));
  expect([...campaigns].filter((campaign) => !checked.has(campaign))).toEqual([]);
});

test("the file that judges an invariant reports its faults", () => {
  for (const [name, { judged }] of Object.entries(judgedInvariants)) {
    for (const { file, faults } of Object.values<{ file: string; faults: readonly string[] }>(judged)) {
      for (const fault of faults) expect(read(file), `${name} in ${file}`).toContain(fault);
    }
  }
});

test("each campaign that an invariant of the database names runs its statements", () => {
  const files: Record<string, string> = {
    races: "chaos/races.ts",
    sdk: "chaos/sdk.ts",
    lifecycle: "chaos/lifecycle/lifecycle-check.ts",
    webhooks: "chaos/webhooks.ts",
    failover: "chaos/failover/failover.ts",
    recovery: "chaos/failover/recovery.ts",
    versions: "chaos/rolling/versions.ts",
  };
  for (const campaign of new Set(Object.values(databaseInvariants).flatMap(({ campaigns: own }) => own))) {
    expect(read(files[campaign] ?? "chaos/main.ts"), campaign).toMatch(
      new RegExp(`brokenInvariants\\(\\w+, "${campaign}", account_id\\)`),
    );
  }
});

test("each seeded bug changes a function of the database in one place", () => {
  for (const bug of seededBugs) expect(withBug(bug), bug.bug).toContain(bug.replace);
});

test("a reader of the feed notices an event below its cursor, one that is gone, a second copy, and another order", () => {
  expect(judgeFeed(["a", "b"], ["a", "b"])).toEqual([]);
  expect(judgeFeed(["a", "c"], ["a", "b", "c"])).toEqual(["1 times: an event was added below a cursor"]);
  expect(judgeFeed(["a", "b"], ["a"])).toEqual(["1 times: an event that a reader got is gone"]);
  expect(judgeFeed(["a", "b", "b"], ["a", "b"])).toEqual(["an event is in the feed twice"]);
  expect(judgeFeed(["a", "b"], ["b", "a"])).toEqual(["the feed replays its events in another order"]);
  // After a restore to a moment, the events since are gone.
  expect(missedEvents(["a", "b", "c"], ["a", "c"])).toEqual([]);
  expect(missedEvents(["a", "b"], ["a", "c"])).toEqual(["1 times: an event was added below a cursor"]);
});

test("the ledger of journeys notices a lost order, one without a client, and two of one patient", () => {
  const journeys = [{ patient_id: "P", order_number: "1" }];
  const stored = (...rows: [string, number][]) =>
    rows.map(([order_number, patient_key]) => ({ order_number, patient_key }));
  expect(judgeJourneys(journeys, ["0"], stored(["0", 7], ["1", 8]))).toEqual([]);
  expect(judgeJourneys(journeys, [], [])).toEqual(["1 times: an acknowledged order is missing"]);
  expect(judgeJourneys(journeys, [], stored(["1", 8], ["2", 8]))).toEqual([
    "1 times: an order whose client has another one",
    "1 times: a patient has two orders",
  ]);
});

test("a restore to a moment notices an order that is missing and one that came later", () => {
  const orders = [
    { order_number: "1", begun_ms: 10, answered_ms: 20 },
    { order_number: "2", begun_ms: 25, answered_ms: 35 },
    { order_number: "3", begun_ms: 40, answered_ms: 50 },
  ];
  const stored = (...numbers: string[]) => numbers.map((order_number) => ({ order_number, patient_key: 1 }));
  expect(judgeMoment(orders, 30, stored("1"))).toEqual([]);
  expect(judgeMoment(orders, 30, stored("1", "2"))).toEqual([]);
  expect(judgeMoment(orders, 30, stored("2"))).toEqual(["an acknowledged order is missing"]);
  expect(judgeMoment(orders, 30, stored("1", "3"))).toEqual(["an order from after the moment is there"]);
});

test("stages of a campaign add up, and the longest outage of each kind stays", () => {
  const none = readTally("/nonexistent/tally.json", NO_FAILOVER);
  const stage = {
    failovers: 2,
    kinds: { primary_paused: 2 },
    longest_outage_ms: { primary_paused: 900 },
    ...{ orders: 5, events: 20, arrived: 40, faults: ["f"] },
  };
  const once = addStage(none, stage, 10);
  const twice = addStage(once, { ...stage, longest_outage_ms: { primary_paused: 400 }, faults: [] }, 10);
  expect(twice).toEqual({
    ...{ failovers: 4, kinds: { primary_paused: 4 }, longest_outage_ms: { primary_paused: 900 } },
    ...{ orders: 10, events: 40, arrived: 80, faults: ["f"], stages: 2, took_ms: 20, done: false },
  });
});
