import { expect, test } from "vitest";
import { type Found, judgeAct, type Submission, type Told } from "../../../../chaos/race-ledger.ts";
import { raceScene } from "../../../../chaos/race-scene.ts";
import { race } from "../../../../chaos/races.ts";
import { seededRandom } from "../../../../chaos/random.ts";
import { TESTED } from "../../../../chaos/server-process.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";

// A small run of the campaign: `npm run campaign -- races` runs it at full size. Both at once, because much of it
// waits for processes to start.
const SUBMISSIONS = 400;
const POOL_SIZE = 6;
const TIMEOUT_MS = 300_000;

async function campaign(kills: number) {
  const { url: database_url, drop } = await createTestDatabase();
  const given = { database_url, master_key: TEST_MASTER_KEY, from: TESTED, pool_size: POOL_SIZE };
  return race({ ...given, count: SUBMISSIONS, kills, random: seededRandom(7) }).finally(drop);
}
const times = (answers: Record<string, number>, pattern: RegExp) =>
  Object.entries(answers).reduce((sum, [answer, count]) => sum + (pattern.test(answer) ? count : 0), 0);

test.concurrent("fifty clients at two processes race for the same units, shelves and keys, and nothing is dispensed twice", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { faults, submissions, answers, orders, deadlocks } = await campaign(0);
  expect(faults).toEqual([]);
  expect({ submissions, deadlocks }).toEqual({ submissions: SUBMISSIONS, deadlocks: 0 });
  expect(times(answers, /^201(,.held.*)?$/)).toBe(orders);
  // Every way to lose a race occurred.
  for (const lost of [/held by 68/, /replayed/, /409 with the order/, /422/]) {
    expect(times(answers, lost), JSON.stringify(answers)).toBeGreaterThan(0);
  }
});

test.concurrent("orders that a killed process acknowledged exist once, and so do those whose answer was lost", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { faults, submissions, kills, orders } = await campaign(1);
  expect(faults).toEqual([]);
  expect({ submissions, kills }).toEqual({ submissions: SUBMISSIONS, kills: 1 });
  expect(orders).toBeGreaterThan(0);
});

test("the campaign detects two orders of one body, a lost one, a wrong rejection and a replay that differs", () => {
  const [order] = raceScene(0).orders;
  const [[prescription_id, units]] = [...order!.prescribed] as [[number, number]];
  const [[sku]] = [...order!.shelved] as [[string, number]];
  const submitted = (told: Told, key: string | null = null, lost = 0): Submission => ({
    order: order!,
    key,
    lost,
    told,
  });
  const created = (order_number: string, text = order_number): Told => ({
    kind: "created",
    order_number,
    text,
    held: false,
  });
  const found = (...numbers: string[]): Found => ({
    made: numbers.map((order_number) => ({ reference: order!.reference, order_number })),
    units_left: new Map([[prescription_id, 0]]),
    available: new Map([[sku, units]]),
  });
  const judge = (submissions: Submission[], there: Found, answers = new Map<string, string>()) =>
    judgeAct(submissions, there, answers);
  const conflict = (order_number: string): Told => ({ kind: "conflict", order_number });
  const refused: Told = { kind: "refused", codes: [42250] };
  const replayed = (text: string): Told => ({ kind: "replayed", order_number: "A", text, held: false });

  expect(judge([submitted(created("A")), submitted(conflict("A")), submitted(refused)], found("A"))).toEqual([]);
  expect(judge([submitted(created("A")), submitted(created("B"))], found("A", "B"))).toEqual([
    "one body made two orders",
    "one body was answered with two new orders",
  ]);
  expect(judge([submitted(created("A"))], found())).toEqual(["an acknowledged order is not there"]);
  expect(judge([submitted(conflict("A"))], found("A"))).toEqual(["an order that no client knows"]);
  expect(judge([submitted(conflict("A"), null, 1)], found("A"))).toEqual([]);
  expect(judge([], found("A"))).toEqual(["an order that nobody asked for"]);
  expect(judge([submitted(created("A")), submitted(conflict("B"))], found("A"))).toHaveLength(1);
  const enough = { ...found(), units_left: new Map([[prescription_id, units]]) };
  expect(judge([submitted(refused)], enough)).toEqual(["refused with 42250, and there is enough"]);
  expect(judge([submitted(replayed("A"), "k"), submitted(created("A"), "k")], found("A"))).toEqual([]);
  expect(judge([submitted(replayed("a"), "k"), submitted(created("A"), "k")], found("A"))).toEqual([
    "a replay differs from the first answer",
  ]);
  expect(judge([submitted(replayed("A"), "k")], found())).toEqual(["a replay of an answer that nobody got"]);
});
