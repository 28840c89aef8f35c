import { afterAll, beforeAll, expect, test } from "vitest";
import { openWorld, type World } from "../../../../chaos/lifecycle/lifecycle-world.ts";
import { CONNECTIONS, playSafety } from "../../../../chaos/safety/safety.ts";
import { brokenRules } from "../../../../chaos/safety/safety-broken.ts";
import type { Command, Story } from "../../../../chaos/safety/safety-commands.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";

// A small run of the campaign: `npm run campaign -- safety` runs it at full size.
const STORIES = 80;
/** More than any of the seeds below needs. */
const BROKEN = { count: 1_000, lanes: 2 };
const TIMEOUT_MS = 300_000;
const SEED = 20261116;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let world: World;
beforeAll(async () => {
  database = await createTestDatabase();
  world = await openWorld({ database_url: database.url, master_key: TEST_MASTER_KEY, pool_size: CONNECTIONS });
});
afterAll(async () => {
  await world.close();
  await database.drop();
});

test("nothing ships that the auditor's own book forbids, whatever people do in whatever order", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { faults, stories, seen } = await playSafety(world, { count: STORIES, seed: SEED });
  expect(faults).toEqual([]);
  expect(stories).toBe(STORIES);
  // The stories reach what the auditor judges.
  for (const what of ["shipments", "shipped after a pharmacist resolved a finding", "shipped items of schedule 4"]) {
    expect([what, (seen[what] ?? 0) > 0]).toEqual([what, true]);
  }
});

/** With these seeds the campaign catches the rules after a few stories. Any seed catches them within some hundred. */
const SEEDS: Record<string, number> = {
  "facts that arrive after the order do not count": 5,
  "a partner can confirm a drug interaction": 14,
  "a finding ends when its cause is gone": 6,
  "any staff member can override a finding": 1,
  "an order ignores the end of its prescription": 11,
  "a canceled prescription stays active": 3,
  "prescriptions do not expire": 11,
  "fills are not counted": 10,
  "several fills of a controlled drug are one": 7,
  "another patient's name does not matter": 6,
  "an expired license counts": 1,
  "an admin is a pharmacist": 2,
  "the tables know no interactions": 4,
};

/** Random stories show this one seldom: the other drug arrives in a second order, after a pharmacist approved the first. */
const UNCHECKED = "no step runs the checks again";
const wish = (rx: number) => ({ rx, whole: true, package_size: 30, quantity: 1, stranger: false });
const place = (rx: number): Command => ({
  kind: "place",
  patient: 0,
  wishes: [wish(rx)],
  facts: [],
  other_name: false,
});
const goOn = (times: number): Command => ({ kind: "go_on", order: 0, times, by: "phil", checked_by: "paula" });
const secondOrder: Story = { automatic: false, person: 0, focus: [0, 1], rest: [place(0), goOn(1), place(1), goOn(3)] };

test("every broken rule has a seed or a story of its own", () => {
  expect([UNCHECKED, ...Object.keys(SEEDS)]).toEqual(Object.keys(brokenRules));
});

test.each(Object.entries(brokenRules))(
  "the campaign catches a broken rule: %s",
  async (rule, breakRule) => {
    const stories =
      rule === UNCHECKED ? { count: 1, seed: SEED, only: secondOrder } : { ...BROKEN, seed: SEEDS[rule]! };
    const { faults } = await playSafety(world, { ...stories, first_fault: true, breakRule });
    expect(faults.length).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);

test("the same story without a broken rule ships nothing that is forbidden", async () => {
  expect(await playSafety(world, { count: 1, seed: SEED, only: secondOrder })).toMatchObject({
    stories: 1,
    faults: [],
  });
});
