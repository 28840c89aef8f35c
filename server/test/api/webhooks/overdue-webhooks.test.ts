import { afterAll, beforeAll, expect, test } from "vitest";
import { loadOverdueWebhooks } from "../../../src/db/operations/measures.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

const [SANDBOX, PRODUCTION] = [0, 2];

let app: TestApp;
beforeAll(async () => {
  // Nothing is sent.
  app = await startTestApp({ env: { WEBHOOK_CONCURRENCY: "0" } });
});
afterAll(() => app.stop());

test("due webhooks are overdue work if they are for a production endpoint whose partner answers", async () => {
  const overdue = async () => (await loadOverdueWebhooks(app.deps.db, new Date(Date.now() + 3_600_000))).waiting;
  const addEvent = (partner: number) =>
    app.deps.db.raw(
      `insert into webhook_event (account_id, event_id, event_type, body, created_at)
      values ($1, gen_random_uuid(), 'RX_UPDATED', '{}', now())`,
      [app.demo.partners[partner]!.account_id],
    );
  for (const partner of [SANDBOX, PRODUCTION]) {
    const body = JSON.stringify({ url: "https://hooks.example/pestle", secret: "what the partner chose" });
    const headers = { "content-type": "application/json" };
    const made = await app.call("/webhook_endpoints", { method: "POST", headers, body, partner });
    expect(made.status, await made.text()).toBe(201);
  }
  await addEvent(SANDBOX);
  expect(await overdue()).toBe(0);
  await addEvent(PRODUCTION);
  expect(await overdue()).toBe(1);
  await app.deps.db.raw("update webhook_endpoint set failing_since = now()");
  expect(await overdue()).toBe(0);
});
