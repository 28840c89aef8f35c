import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { answerCampaigns } from "../../../../chaos/campaigns/answers.ts";
import { clusterCampaigns } from "../../../../chaos/campaigns/clusters.ts";
import { crashCampaigns } from "../../../../chaos/campaigns/crashes.ts";
import { orderCampaigns } from "../../../../chaos/campaigns/orders.ts";
import { worldCampaigns } from "../../../../chaos/campaigns/worlds.ts";
import { judgeFeed, missedEvents } from "../../../../chaos/failover/feed-reader.ts";
import { judgeJourneys, judgeMoment } from "../../../../chaos/failover/journey-ledger.ts";
import { campaigns } from "../../../../chaos/invariants/campaigns.ts";
import { databaseInvariants } from "../../../../chaos/invariants/in-database.ts";
import { invariants, judgedInvariants, judgesOf } from "../../../../chaos/invariants/invariants.ts";
import { seededBugs, withBug } from "../../../../chaos/invariants/seeded-bugs.ts";
import { missedLinks } from "../../../../chaos/network/network.ts";
import { seededRandom } from "../../../../chaos/random.ts";
import { rowOf } from "../../../../chaos/report/report-row.ts";
import { bugs, defective } from "../../../../chaos/seeded/bugs.ts";
import { tellingLine } from "../../../../chaos/seeded/seeded.ts";
import { judgeTrends, trendsOf } from "../../../../chaos/soak/soak-judge.ts";
import { soakRequests } from "../../../../chaos/soak/soak-requests.ts";
import { added, inStages, parts, readTally, shares } from "../../../../chaos/tally.ts";

const read = (file: string) => readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8");

test("every campaign that is named runs, and every invariant has a campaign that checks it", () => {
  const known = { ...crashCampaigns, ...orderCampaigns, ...worldCampaigns, ...clusterCampaigns, ...answerCampaigns };
  expect(campaigns.filter((campaign) => !(campaign in known))).toEqual([]);
  for (const { name, campaigns: own } of invariants) expect(own.length, name).toBeGreaterThan(0);
  const checked = new Set(invariants.flatMap(({ campaigns: own }) => own));
  expect([...campaigns].filter((campaign) => !checked.has(campaign))).toEqual([]);
});

test("the file that judges an invariant reports its faults", () => {
  for (const [name, { judged }] of Object.entries(judgedInvariants)) {
    for (const { file, faults } of judgesOf(judged)) {
      for (const fault of faults) expect(read(file), `${name} in ${file}`).toContain(fault);
    }
  }
});

test("each campaign that an invariant of the database names runs its statements", () => {
  const files: Record<string, string> = {
    kills: "chaos/kills/role-kills.ts",
    restarts: "chaos/restarts/restarts.ts",
    network: "chaos/network/network.ts",
    soak: "chaos/soak/soak.ts",
    races: "chaos/races.ts",
    sdk: "chaos/sdk.ts",
    lifecycle: "chaos/lifecycle/lifecycle-check.ts",
    webhooks: "chaos/webhooks.ts",
    failover: "chaos/failover/failover.ts",
    recovery: "chaos/failover/recovery.ts",
    versions: "chaos/rolling/versions.ts",
    distribute: "chaos/spread/spread-there-and-back.ts",
  };
  for (const campaign of new Set(Object.values(databaseInvariants).flatMap(({ campaigns: own }) => own))) {
    expect(read(files[campaign] ?? "chaos/main.ts"), campaign).toMatch(
      // `whileBusy` runs them for the campaign that it is given.
      new RegExp(`brokenInvariants\\(\\w+, "${campaign}", account_id\\)|campaign: "${campaign}"`),
    );
  }
});

test("each seeded bug changes one place of a file", () => {
  for (const bug of seededBugs) expect(withBug(bug), bug.bug).toContain(bug.replace);
  for (const bug of bugs) expect(defective(bug, read(bug.file)), bug.bug).not.toBe(read(bug.file));
  expect(() => defective({ ...bugs[0]!, find: "nowhere" }, "text")).toThrow("has 0 times: nowhere");
  expect(bugs.length).toBeGreaterThanOrEqual(30);
  expect(new Set(bugs.map(({ bug }) => bug)).size).toBe(bugs.length);
});

test("what a campaign or a test says of a defect is one line", () => {
  expect(tellingLine("campaign races\nanswers 5\n             one body made two orders\n")).toBe(
    "one body made two orders",
  );
  expect(tellingLine("file.ts:3\n\nError: an order got 500\n    at file.ts")).toBe("Error: an order got 500");
  expect(tellingLine("a\nlast words\n\n")).toBe("last words");
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

test("stages add up: counts are added, the longest outage stays, and a run is no larger than it was asked for", () => {
  const stage = {
    failovers: 2,
    kinds: { paused: 2 } as Record<string, number>,
    longest_outage_ms: { paused: 900 },
    faults: ["f"],
  };
  expect(added(stage, { ...stage, kinds: { killed: 1 }, longest_outage_ms: { paused: 400 }, faults: [] })).toEqual({
    ...{ failovers: 4, kinds: { paused: 2, killed: 1 }, longest_outage_ms: { paused: 900 }, faults: ["f"] },
  });
  expect(parts(7, 3)).toEqual([3, 3, 1]);
  expect(shares(20, [3, 3, 1])).toEqual([9, 8, 3]);
});

test("an interrupted campaign continues after its last stage, and a finished one starts again", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "pestle-tally-")), "t.json");
  const run = { campaign: "kills", file, asked: { count: 3 }, seed: 5 };
  const drawn: number[] = [];
  const stage = async (random: () => number) => {
    drawn.push(random());
    if (drawn.length === 2) throw new Error("interrupted");
    return { kills: 1, faults: [] };
  };
  await expect(inStages(run, [stage, stage, stage])).rejects.toThrow("interrupted");
  await expect(inStages({ ...run, asked: { count: 4 } }, [])).rejects.toThrow("an interrupted run of kills --count=3");
  // Another seed of the command line does not matter: the run keeps its own.
  const { found, stages } = await inStages({ ...run, seed: 6 }, [stage, stage, stage]);
  expect({ found, stages }).toEqual({ found: { kills: 3, faults: [] }, stages: 3 });
  expect(drawn[2]).toBe(drawn[1]);
  expect(readTally(file)?.ended_at).not.toBeNull();
  drawn.length = 2;
  expect((await inStages(run, [stage])).stages).toBe(1);
});

test("a campaign stops at the stage that found a fault", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "pestle-tally-")), "t.json");
  const stages = [["f"], []].map((faults) => async () => ({ kills: 1, faults }));
  const tally = await inStages({ campaign: "races", file, asked: {}, seed: 1 }, stages);
  expect(tally.found).toEqual({ kills: 1, faults: ["f"] });
  expect(rowOf(tally)).toMatch(/^\| `races` \| .* \| 1 \| \d+ ms \| \d{4}-\d\d-\d\d, /);
});

test("a soak judges the growth of each process over the last two thirds of a long sitting", () => {
  const sample = (resident: number, sitting = "a") => ({
    ...{ sitting, requests: 100_000, p50_ms: 1, p99_ms: 2 },
    ...{ resident_bytes: { main: resident }, descriptors: { main: 60 } },
  });
  const flat = [50, 90, 100, 100, 101, 99, 100, 100, 100].map((one) => sample(one));
  expect(judgeTrends(trendsOf(flat))).toEqual([]);
  const leaking = flat.map((one, at) => ({ ...one, resident_bytes: { main: 100 + at } }));
  expect(judgeTrends(trendsOf(leaking))).toEqual([expect.stringContaining("memory of the main process grew by 4.7")]);
  // Two sittings are two processes, and each is too short.
  expect(judgeTrends(trendsOf(leaking.map((one, at) => ({ ...one, sitting: at < 5 ? "a" : "b" }))))).toEqual([]);
});

test("a soak that reaches the limit of the token server goes on without the token", () => {
  const account = { ...{ token: "", client_id: "c", client_secret: "s" }, auth_url: "http://auth", endpoint_id: null };
  const draw = soakRequests({ base_url: "http://api" }, account, seededRandom(1), "soak");
  const drawn = (kind: string) => {
    for (let tries = 0; tries < 1_000; tries++) {
      const request = draw();
      if (request.kind === kind) return request;
    }
    return undefined;
  };
  const limited = drawn("token")!;
  expect(limited.right).toContain(429);
  limited.learn!({ status: 429, headers: {}, text: '{"error":"too_many_requests"}' });
  expect(drawn("revoke")).toBeUndefined();
  drawn("token")!.learn!({ status: 200, headers: {}, text: '{"access_token":"t"}' });
  expect(drawn("revoke")).toMatchObject({
    body: expect.stringContaining("token=t"),
    right: expect.arrayContaining([429]),
  });
});

test("a run of network faults that hit no connection of a link says so", () => {
  const hit = { "database reset": 8, "provider reset": 0, "provider delay": 0 };
  expect(missedLinks(hit, ["database", "provider"])).toEqual(["no fault hit a connection to the provider"]);
  expect(missedLinks({ ...hit, "provider delay": 1 }, ["database", "provider"])).toEqual([]);
});
