import { afterAll, beforeAll, expect, test } from "vitest";
import { playLifecycles } from "../../../../chaos/lifecycle/lifecycle.ts";
import { faultsOf } from "../../../../chaos/lifecycle/lifecycle-check.ts";
import type { Concrete } from "../../../../chaos/lifecycle/lifecycle-concrete.ts";
import { perform } from "../../../../chaos/lifecycle/lifecycle-perform.ts";
import { predict } from "../../../../chaos/lifecycle/lifecycle-predictions.ts";
import { openWorld } from "../../../../chaos/lifecycle/lifecycle-world.ts";
import { createTestDatabase, TEST_MASTER_KEY } from "../../support/test-app.ts";

// A small run of the campaign: `npm run campaign -- lifecycle` runs it at full size.
const STORIES = 100;
const TIMEOUT_MS = 300_000;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
const own = () => ({ database_url: database.url, master_key: TEST_MASTER_KEY });

test("orders match a simple model after any commands in any order", {
  timeout: TIMEOUT_MS,
}, async () => {
  const { faults, stories, outcomes } = await playLifecycles({ ...own(), count: STORIES, seed: 20261115 });
  expect(faults).toEqual([]);
  expect(stories).toBe(STORIES);
  // Every command succeeded at least once and was rejected at least once.
  const times = (kind: RegExp, refused: boolean) =>
    Object.entries(outcomes)
      .filter(([name]) => kind.test(name))
      .flatMap(([, counts]) => Object.entries(counts))
      .reduce((sum, [outcome, count]) => sum + ((outcome !== "done") === refused ? count : 0), 0);
  for (const kind of [/^place/, /^act/, /^work/, /^simulate/, /^readdress/]) {
    expect([kind, times(kind, false) > 0, times(kind, true) > 0]).toEqual([kind, true, true]);
  }
  for (const kind of [/ship/, /cancel/, /refund/, /resolve/, /restock/, /prescribe/, /clock/]) {
    expect([kind, times(kind, false) > 0]).toEqual([kind, true]);
  }
});

const place: Concrete = {
  kind: "place",
  wishes: [{ prescription: 0, sku: "atorvastatin-20", package_size: 90, quantity: 1 }],
  address: { state: "CA", long: false, end: "delivered" },
  token: "good",
  other_dob: false,
};

/** Changes behind the service's back, on an order that was held and released. */
const tampered: Record<string, string> = {
  "a row of history is gone": "delete from order_history where event = 'resolve'",
  "a row of history is another's": "update order_history set actor = 'carrier' where event = 'create'",
  "an event is gone": "delete from webhook_event where event_type = 'RX_UPDATED'",
  "an event is sent twice": `insert into webhook_event (account_id, event_id, event_type, order_number, body, created_at)
    select account_id, gen_random_uuid(), event_type, order_number, '{"sequence":1}', created_at
    from webhook_event where event_type = 'ORDER_UPDATED'`,
  "a change was not counted": "update orders set revision = revision - 1",
  "a number was left out": "update orders set sequence = sequence + 1",
  "it stands elsewhere": "update orders set stage = 'fill', order_status = 'Filling'",
  "an exception stays open": "update order_exception set resolved_at = null",
  "units belong to no order": "update prescription set units_ordered = units_ordered + 1 where units_ordered > 0",
  "units were given back": "update prescription set units_ordered = 0 where units_ordered > 0",
  "a shelf has more": "update stock set on_hand_units = on_hand_units + 1 where sku = 'atorvastatin-20'",
  "what was set aside is not": "update stock set reserved_units = 0",
  "the ledger does not say so": "update stock_entry set units = 89 where kind = 'reserved'",
  "an item is gone": "update order_item set removed_at = now()",
  "money was taken": "update orders set captured_cents = 1",
  "money was not held": "delete from payment_entry",
  "an order is claimed": "update orders set claimed_by = 'tess', claimed_until = now()",
};

test(`the campaign detects: ${Object.keys(tampered).join(", ")}`, { timeout: TIMEOUT_MS }, async () => {
  const world = await openWorld({ ...own(), pool_size: 4 });
  try {
    const stage = await world.openStage(false);
    const story = { automatic: false, email: true, allergies: [], first: place, rest: [] };
    const scene = await stage.begin(story, Date.now());
    const { model } = scene;
    const follow = async (command: Concrete) => {
      const { outcome, told } = await perform(world.deps, scene, command);
      expect(outcome).toBe(predict(model, command, told));
    };
    await follow(place);
    const [life] = model.orders;
    await follow({ kind: "act", life: life!, asked: { event: "hold" } });
    await follow({ kind: "act", life: life!, asked: { event: "release" } });
    expect(await faultsOf(world.deps, scene)).toEqual([]);
    for (const [what, text] of Object.entries(tampered)) {
      const undone = new Error("undone");
      const seen = world.deps.db.transaction(async (tx) => {
        await tx.raw(`${text}${text.includes(" where ") ? " and" : " where"} account_id = '${scene.account_id}'`);
        expect([what, (await faultsOf({ db: tx, vault: world.deps.vault }, scene)).length > 0]).toEqual([what, true]);
        throw undone;
      });
      await expect(seen).rejects.toBe(undone);
    }
    // Also outcomes that differ from the model.
    expect(predict(model, { kind: "act", life: life!, asked: { event: "release" } }, { order_numbers: [] })).toBe(
      "42463",
    );
  } finally {
    await world.close();
  }
});
