import { type SeededBug, seededBugs } from "../invariants/seeded-bugs.ts";

/** What should notice a defect: a campaign with its options, or a file of tests. */
export type Detector = { campaign: readonly string[] } | { test: string };
/** A defect as a change of one text in one file. `find` must be there exactly once. */
export type Bug = { bug: string; file: string; find: string; replace: string; by: Detector };

const campaign = (...given: string[]): Detector => ({ campaign: given });
const races = campaign("races", "--count", "200");
const intake = campaign("intake", "--count", "1");
const webhooks = campaign("webhooks", "--count", "600", "--kills", "1");
const rolling = campaign("rolling", "--restarts", "2");
const money = campaign("money", "--orders", "60", "--kills", "1");
const lifecycle = campaign("lifecycle", "--count", "60");
const feedPages: Detector = { test: "server/test/api/webhooks/webhook-api-feed.test.ts" };
const idempotency: Detector = { test: "server/test/api/accounts/idempotency.test.ts" };
const intakeFunctions: Detector = { test: "server/test/database/intake/intake-functions.test.ts" };
const feed: Detector = { test: "server/test/api/webhooks/webhook-feed-order.test.ts" };

/** Of those that `races` puts into the database itself, which change a function. */
const inSaveOrder = (bug: string): Bug => {
  const { find, replace }: SeededBug = seededBugs.find((one) => one.bug === bug)!;
  return { bug, file: "server/functions/save_order.sql", find, replace, by: races };
};

/** Defects that people make, in functions of the database, statements, use cases and rules. */
export const bugs: readonly Bug[] = [
  inSaveOrder("the guard on a prescription's units is missing"),
  inSaveOrder("an order takes a prescription's units twice"),
  inSaveOrder("the guard against a second order of one body is missing"),
  inSaveOrder("an order reserves no stock"),
  inSaveOrder("the first item of an order is lost"),
  inSaveOrder("the first event of an order is lost"),
  inSaveOrder("events of an order go to another account"),
  inSaveOrder("the exceptions of an order are lost"),
  {
    bug: "rows that move to another server run their triggers again",
    file: "server/src/db/operations/distribution.ts",
    find: "  triggers: TRIGGERS,\n",
    replace: "",
    by: campaign("distribute", "--orders", "40", "--accounts", "8"),
  },
  {
    bug: "the answer of an idempotency key is not kept",
    file: "server/src/usecases/write.ts",
    find: "      await keepAnswer(tx, key, { status, body_sealed: sealed(deps, key, answer) }, deps.now());\n",
    replace: "",
    by: idempotency,
  },
  {
    bug: "a second order of the same medication is not held",
    file: "server/src/domain/orders/order-holds.ts",
    find: 'basis: ({ doubled }) => (doubled ? "doubled" : null)',
    replace: "basis: () => null",
    by: races,
  },
  {
    bug: "a commit is acknowledged before it is on the disk",
    file: "server/src/db/db.ts",
    find: '    jit: "off",\n',
    replace: '    jit: "off",\n    synchronous_commit: "off",\n',
    by: campaign("kills", "--kinds", "database", "--count", "5"),
  },
  {
    bug: "a token is answered before it is stored",
    file: "server/src/usecases/accounts/issue-token.ts",
    find: "const issued = await insertToken(",
    replace:
      "const issued = await (async (...given: Parameters<typeof insertToken>) => {\n    setTimeout(() => void insertToken(...given), 300);\n    return 1;\n  })(",
    by: campaign("kills", "--kinds", "server", "--count", "2"),
  },
  {
    bug: "the sandbox's process stays when the service is killed",
    file: "server/src/sandbox-process/program.ts",
    find: 'process.on("disconnect", () => {',
    // Without the second line, the next sign of life fails and ends the process all the same.
    replace: 'process.on("disconnect", () => {\n  process.send = () => true;\n  return;',
    by: campaign("kills", "--kinds", "supervisor", "--count", "1"),
  },
  {
    bug: "a message that another request has processed is processed again",
    file: "server/functions/save_intake.sql",
    find: "\n    and coalesce(m.outcome, m.state) = message_was and (m.state = 'received' or m.for_account_id is null);",
    replace: ";",
    by: intakeFunctions,
  },
  {
    bug: "two messages of one new patient make two patients",
    file: "server/functions/save_intake.sql",
    find: "\n    where c.revision = claim_revision;",
    replace: ";",
    by: intake,
  },
  {
    bug: "no job takes up messages that were stored and not processed",
    file: "server/src/environment-jobs.ts",
    find: "async (own) => void (await processWaiting(own, formatOf))",
    replace: "async () => {}",
    by: intake,
  },
  {
    bug: "webhooks are signed with a time an hour ago",
    file: "server/src/usecases/webhooks/send-webhook.ts",
    find: "const webhook_timestamp = Math.floor(now.getTime() / 1000);",
    replace: "const webhook_timestamp = Math.floor(now.getTime() / 1000) - 3600;",
    by: webhooks,
  },
  {
    bug: "the events of an order are sent in any order",
    file: "server/functions/claim_deliveries.sql",
    find: "and earlier.event_position < w.event_position))",
    replace: "and earlier.event_position > w.event_position))",
    by: webhooks,
  },
  {
    bug: "no endpoint gets new prescriptions",
    file: "server/migrations/0069_data_loss.sql",
    find: "'REFILL_UPCOMING', 'DATA_LOST')",
    replace: "'REFILL_UPCOMING', 'DATA_LOST', 'RX_RECEIVED')",
    by: webhooks,
  },
  {
    bug: "the outcome of a delivery is lost",
    file: "server/src/db/webhooks/deliveries.ts",
    find: "  from held h\n  -- A redelivery requested",
    replace: "  from held h\n  where false\n  -- A redelivery requested",
    by: webhooks,
  },
  {
    bug: "a claimed delivery can be claimed again at once",
    file: "server/functions/claim_deliveries.sql",
    find: "claimed_until = now() + lease_s * interval '1 second'",
    replace: "claimed_until = now() + lease_s * interval '0 seconds'",
    by: rolling,
  },
  {
    bug: "a process that stops says that it is ready",
    file: "server/src/app.ts",
    find: "        stopping = true;\n",
    replace: "",
    by: rolling,
  },
  {
    bug: "a card is charged a cent more",
    file: "server/src/usecases/fulfillment/ship-order.ts",
    find: "...{ amount_cents, reference, about: { account_id, order_number } },",
    replace: "...{ amount_cents: amount_cents + 1, reference, about: { account_id, order_number } },",
    by: money,
  },
  {
    bug: "an authorization that is not needed stays at the provider",
    file: "server/src/usecases/orders/payments/release-authorization.ts",
    find: "const released = await payments.records.release(reference, about);",
    replace: "const released = { captured_cents: 0, returned_cents: 0 };",
    by: money,
  },
  {
    bug: "a change of an order leaves no history",
    file: "server/functions/save_change.sql",
    find: "  if history is not null then",
    replace: "  if history is not null and false then",
    by: lifecycle,
  },
  {
    bug: "a resolved exception stays open",
    file: "server/functions/save_change.sql",
    find: "  if resolved is not null then",
    replace: "  if resolved is not null and false then",
    by: lifecycle,
  },
  {
    bug: "an allergy holds no order",
    file: "server/src/domain/orders/order-holds.ts",
    find: "basis: (facts) => foundBasis(facts, 74)",
    replace: "basis: () => null",
    by: campaign("safety", "--count", "200"),
  },
  {
    bug: "a page of the feed skips the event after its last",
    file: "server/src/db/webhooks/feed.ts",
    find: "return { rows: shown, more: true, end: shown.at(-1)! };",
    replace: "return { rows: shown, more: true, end: rows.at(-1)! };",
    by: feedPages,
  },
  {
    bug: "the feed does not wait for transactions that still write",
    file: "server/src/db/webhooks/feed.ts",
    find: "else webhook_feed_horizon() end`",
    replace: "else 9223372036854775807 end`",
    by: feed,
  },
  {
    bug: "feed positions go back on a server with a slower clock",
    file: "server/migrations/0064_feed_positions.sql",
    find: "select coalesce(max(n.feed_position), 0) + 1",
    replace: "select coalesce(min(n.feed_position), 0)",
    by: feed,
  },
  {
    bug: "nobody notices what a failover lost",
    file: "server/src/domain/operations/data-loss.ts",
    find: "if (before.synchronous && !restored) return undefined;",
    replace: "if (!restored) return undefined;",
    by: feed,
  },
];

/** The file with the defect. */
export function defective({ bug, file, find, replace }: Bug, text: string): string {
  const pieces = text.split(find);
  if (pieces.length !== 2) throw new Error(`${bug}: ${file} has ${pieces.length - 1} times: ${find}`);
  return pieces.join(replace);
}

export const nameOf = (by: Detector): string =>
  "test" in by ? by.test : `npm run campaign -- ${by.campaign.join(" ")}`;
