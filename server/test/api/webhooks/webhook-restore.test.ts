import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDb } from "../../../src/db/db.ts";
import { backUp } from "../../../src/usecases/operations/back-up.ts";
import { restore, verifyBackup } from "../../../src/usecases/operations/restore.ts";
import { decodeMasterKey } from "../../../src/vault/master-key.ts";
import { openReceiver } from "../../support/receiver.ts";
import { createTestDatabase, startTestApp, TEST_MASTER_KEY } from "../../support/test-app.ts";
import { addEndpoint, writeEvents } from "../../support/webhooks.ts";

test("a restored service delivers pending deliveries once, and repeats no finished ones", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pestle-restore-"));
  const file = join(folder, "webhooks.backup");
  const receiver = await openReceiver();
  const idle = await startTestApp({ env: { WEBHOOK_CONCURRENCY: "0" } });
  const endpoint = await addEndpoint(idle, { url: receiver.url });
  const [delivered, waiting] = await writeEvents(idle, [{}, {}]);
  await idle.deps.db.raw("delete from webhook_delivery where event_id = $1", [delivered!.event_id]);
  await idle.deps.db.raw(
    `insert into webhook_attempt (account_id, event_id, endpoint_id, attempt, at, delivery_status, status, duration_ms)
    values ($1, $2, $3, 1, now(), 'delivered', 200, 1)`,
    [endpoint.account_id, delivered!.event_id, endpoint.endpoint_id],
  );
  await backUp(idle.owner, file, [decodeMasterKey(TEST_MASTER_KEY)], new Date());
  await idle.stop();

  const empty = await createTestDatabase("");
  const db = openDb({ connection: { connectionString: empty.url }, pool_size: 2, named_statements: true });
  await restore(db, await verifyBackup(file, [decodeMasterKey(TEST_MASTER_KEY)]));
  const counts = await db.raw(
    `select (select count(*)::int from webhook_event) as events, (select count(*)::int from webhook_delivery) as deliveries,
      (select count(*)::int from webhook_attempt) as attempts`,
  );
  expect(counts.rows).toEqual([{ events: 2, deliveries: 1, attempts: 1 }]);
  await db.close();

  const again = await startTestApp({ url: empty.url, demo: idle.demo });
  await receiver.arrived(1);
  await again.stop();
  await empty.drop();
  await receiver.close();
  rmSync(folder, { recursive: true, force: true });
  expect(receiver.received.map(({ body }) => body)).toEqual([waiting!.body]);
});
