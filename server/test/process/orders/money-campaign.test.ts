import { expect, test } from "vitest";
import { campaignMoney } from "../../../../chaos/money/money.ts";
import { brokenMoneys } from "../../../../chaos/money/money-messages.ts";
import { seededRandom } from "../../../../chaos/random.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";

// A small run of the campaign: `npm run campaign -- money` runs it at full size.
const TIMEOUT_MS = 300_000;
const run = async (size: { orders: number; kills: number; broken?: (typeof brokenMoneys)[number] }) => {
  const { url: database_url, drop } = await createTestDatabase();
  const own = { database_url, master_key: TEST_MASTER_KEY, random: seededRandom(11) };
  return campaignMoney({ ...own, ...size }).finally(drop);
};

test.concurrent("whatever answers a payment provider loses and doubles, and whenever the service is killed, charged equals shipped", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { faults, orders, kills, lost_answers, shipped, canceled, charged_cents, shipped_cents } = await run({
    orders: 40,
    kills: 2,
  });
  expect(faults).toEqual([]);
  expect({ orders, kills }).toEqual({ orders: 40, kills: 2 });
  expect(charged_cents).toBe(shipped_cents);
  for (const happened of [lost_answers, shipped, canceled, charged_cents]) expect(happened).toBeGreaterThan(0);
});

test.concurrent("the campaign notices a rule that it broke itself", { timeout: TIMEOUT_MS }, async () => {
  const [broken] = brokenMoneys;
  const { faults } = await run({ orders: 8, kills: 0, ...(broken && { broken }) });
  expect(faults.length).toBeGreaterThan(0);
});
