import { randomBytes, randomUUID } from "node:crypto";
import { compactAsciiJson, type EventType, signingKey } from "@pestle/contract";
import { sql } from "../../src/db/db.ts";
import { endpointPlace } from "../../src/db/webhooks/due-endpoints.ts";
import { randomEventId } from "../../src/random.ts";
import type { TestApp } from "./test-app.ts";

export type TestEndpoint = { endpoint_id: string; account_id: string; url: string; key: string } & Record<
  "secret" | "signing_secret",
  string
>;

/** An endpoint of a demo partner, as the API would write it. */
export async function addEndpoint(
  app: TestApp,
  given: { url: string; events?: EventType[]; partner?: number; failing_since?: Date },
): Promise<TestEndpoint> {
  const { account_id, client_id, client_secret } = app.demo.partners[given.partner ?? 0]!;
  const endpoint_id = randomUUID();
  const [secret, signing_secret] = ["wh secret ~ é 1", `whsec_${randomBytes(24).toString("base64")}`];
  const seal = (column: Parameters<typeof endpointPlace>[0], text: string) =>
    app.deps.vault.seal(Buffer.from(text), endpointPlace(column, account_id, endpoint_id));
  await app.deps.db.raw(
    `insert into webhook_endpoint (account_id, endpoint_id, url, events, secret_sealed, signing_secret_sealed,
      signing_credential_id, signing_credential_secret_id, failing_since, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, 1, $8, now(), now())`,
    [
      account_id,
      endpoint_id,
      given.url,
      given.events ?? [],
      seal("secret_sealed", secret),
      seal("signing_secret_sealed", signing_secret),
      client_id.split("-")[1],
      given.failing_since ?? null,
    ],
  );
  return { endpoint_id, account_id, url: given.url, key: signingKey(client_secret), secret, signing_secret };
}

const write = sql<[events: string]>`
insert into webhook_event (account_id, event_id, event_type, order_number, body, created_at)
select e.account_id, e.event_id, e.event_type, e.order_number, e.body, e.created_at
from jsonb_populate_recordset(null::webhook_event, $1::jsonb) e
returning account_id`;

export type TestEvent = { event_id: string; body: string; order_number: string | null };
type GivenEvent = { event_type?: EventType; order_number?: string | null; more?: Record<string, unknown> };

/** Writes events as the service does, in one transaction, for all subscribers. */
export async function writeEvents(app: TestApp, given: readonly GivenEvent[], partner = 0): Promise<TestEvent[]> {
  const { account_id } = app.demo.partners[partner]!;
  const rows = given.map(({ event_type = "RX_UPDATED", order_number = null, more = {} }) => {
    const event_id = randomEventId();
    const body = compactAsciiJson({ event_id, event_type, order_number, ...more });
    return { account_id, event_id, event_type, order_number, body, created_at: app.deps.now() };
  });
  await app.deps.db.run(write, [JSON.stringify(rows)]);
  return rows;
}

/** The rows of an event's delivery. */
export async function deliveryOf(app: TestApp, { event_id }: { event_id: string }, endpoint: TestEndpoint) {
  const key = [endpoint.account_id, event_id, endpoint.endpoint_id];
  const where = "where account_id = $1 and event_id = $2 and endpoint_id = $3";
  // One snapshot: an attempt and its effect on the delivery are written together.
  return app.deps.db.transaction(async (tx) => {
    const { rows: waiting } = await tx.raw(`select * from webhook_delivery ${where}`, key);
    const { rows: attempts } = await tx.raw(`select * from webhook_attempt ${where} order by attempt`, key);
    return { waiting: waiting[0], attempts };
  }, "repeatable read");
}
