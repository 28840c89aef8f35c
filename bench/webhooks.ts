import { randomUUID } from "node:crypto";
import { compactAsciiJson } from "@pestle/contract";
import { until } from "../chaos/until.ts";
import { endpointPlace } from "../server/src/db/webhooks/due-endpoints.ts";
import { startChild } from "./child.ts";
import { intakeLoad, operatorOf } from "./intake.ts";
import { NUMBER_MARK } from "./intake-message.ts";
import type { Report } from "./report.ts";
import type { SinkQuestion, SinkTally } from "./sink.ts";
import { type Effort, onStage, type Stage } from "./stage.ts";
import type { LoopRun } from "./undici-loop.ts";
import { type WebhookRound, webhookReport } from "./webhook-report.ts";

const SANDBOX = 0;
const ENDPOINTS = 4;
/** As many as the service sends concurrently. */
const CONCURRENCY = 256;
const DIFFERENT_BODIES = 500;
/** More than the service ever delivers in a second. */
const FIRST_GUESS_PER_SECOND = 8_000;
const LEAST_DELIVERIES = 5_000;
/** Slow enough to measure the path of an event and not a queue. */
const EVENTS_PER_SECOND = 100;

/**
 * Deliveries a second of one process to a sink on this machine, compared with undici alone sending the same bodies;
 * the time from an event's commit to its first attempt; and both again with many finished deliveries.
 */
export function benchWebhooks({ rounds: count, round_ms }: Effort, sizes: readonly number[]): Promise<Report> {
  return onStage(
    async (stage) => {
      const sink = startChild("./sink.ts");
      stage.onClose(sink.end);
      const ask = async (question: SinkQuestion) => (await sink.ask(question))["tally"] as SinkTally;
      const loop = startChild("./undici-loop.ts");
      stage.onClose(loop.end);
      const { url } = await ask({ begin: { note_events: false } });
      const bodies = Array.from({ length: DIFFERENT_BODIES }, (_, number) => sampleBody(randomUUID(), number));
      const account_id = stage.demo.partners[SANDBOX]!.account_id;
      const endpoint_ids = await addEndpoints(stage, account_id, url);
      const load = await intakeLoad(stage, await operatorOf(stage), stage.demo.partners[SANDBOX]!.ncpdp_id!);
      let first = 1;

      const alone = async (deliveries: number) => {
        const run: LoopRun = {
          url: `${url}/hook`,
          bodies,
          headers: SAMPLE_HEADERS,
          concurrency: CONCURRENCY,
          count: deliveries,
        };
        return (await loop.ask(run))["per_second"] as number;
      };
      const deliver = async (deliveries: number) => {
        await queueDeliveries(stage, account_id, endpoint_ids, bodies, deliveries);
        await ask({ begin: { note_events: false } });
        await setStatus(stage, account_id, "active");
        const tally = await until(
          "everything is delivered",
          async () => {
            const told = await ask("tell");
            return told.count >= deliveries && (await isQueueEmpty(stage)) ? told : undefined;
          },
          { deadline_ms: 300_000, pause_ms: 100 },
        );
        if (tally.count !== deliveries) throw new Error(`${deliveries} deliveries arrived ${tally.count} times`);
        return (deliveries / (tally.last_ms - tally.first_ms)) * 1000;
      };
      const firstAttempts = async () => {
        await setStatus(stage, account_id, "active");
        await ask({ begin: { note_events: true } });
        const numbered = { mark: NUMBER_MARK, first };
        const sent = await stage.measure("events", {
          ...load,
          duration_ms: round_ms,
          numbered,
          due_per_second: EVENTS_PER_SECOND,
        });
        first += sent.count;
        await until(
          "every event arrived",
          async () => (await ask("tell")).events.length >= sent.count && (await isQueueEmpty(stage)),
        );
        return latencies(stage, account_id, (await ask("tell")).events);
      };

      const by_size: { finished: number; rounds: WebhookRound[] }[] = [];
      for (const finished of sizes) {
        await addFinished(stage, account_id, endpoint_ids[0]!, finished);
        const deliveries = Math.max(LEAST_DELIVERIES, Math.round((FIRST_GUESS_PER_SECOND * round_ms) / 1000));
        await alone(deliveries);
        await deliver(deliveries);
        const rounds: WebhookRound[] = [];
        for (let round = 1; round <= count; round++) {
          rounds.push({
            alone_per_second: await alone(deliveries),
            delivered_per_second: await deliver(deliveries),
            first_attempts_ms: await firstAttempts(),
          });
        }
        by_size.push({ finished, rounds });
      }
      return webhookReport(by_size);
    },
    { postgres_settings: ["track_commit_timestamp=on"] },
  );
}

/** As many and as long as those that the service sends. */
const SAMPLE_HEADERS = {
  "content-type": "application/json",
  "user-agent": "Pestle-Webhooks/1",
  "X-Service-Secret": "F4JBcECdt83CUKaDm740W6LXD2MK",
  "X-Service-Signature": "LaoQyTAzZAvgInawj1unwFjPQdsK",
  "webhook-id": randomUUID(),
  "webhook-timestamp": "1794733200",
  "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
};

const sampleBody = (event_id: string, number: number) =>
  compactAsciiJson({
    event_id,
    event_type: "RX_UPDATED",
    timestamp: 1_794_733_200 + number,
    patient_id: `bench${number}`,
    order_number: "4F7K2M9QXA",
    sequence: 2,
    medication_requests: Array.from({ length: 1 + (number % 2) }, (_, line) => ({
      id: 183_601 + number + line,
      active: true,
      patient_id: `bench${number}`,
      prescriber_name: "Ada Lindqvist",
      prescriber_phone: "4155550177",
      prescriber_fax: null,
      receive_date: "2026-11-15T08:30:00.000Z",
      expire_date: "2027-11-15T05:00:00.000Z",
      written_date: "2026-11-15",
      effective_date: "2026-11-15",
      drug_name: "Lisinopril 10 mg tablet (30's)",
      ndc: "00071015523",
      gcn: "000388",
      sig_text: "Take 1 tablet by mouth once a day, in the morning",
      written_qty: 30,
      days_supply: 30,
      refills_left: 2,
      drug_schedule: "0",
      daw: false,
      order_errors: [],
      medication_dispenses: [
        {
          dispense_id: 500_001,
          order_number: "4F7K2M9QXA",
          order_status: "Filling",
          ndc: "00071015523",
          quantity: 1,
          package_size: 30,
          shipment: null,
        },
      ],
    })),
  });

async function addEndpoints({ db, vault, demo }: Stage, account_id: string, sink_url: string): Promise<string[]> {
  const credential_id = demo.partners[SANDBOX]!.client_id.split("-")[1]!;
  const ids = Array.from({ length: ENDPOINTS }, () => randomUUID());
  for (const [number, endpoint_id] of ids.entries()) {
    const seal = (column: Parameters<typeof endpointPlace>[0], text: string) =>
      vault.seal(Buffer.from(text), endpointPlace(column, account_id, endpoint_id));
    await db.raw(
      `insert into webhook_endpoint (account_id, endpoint_id, url, status, disabled_reason, disabled_at, events, secret_sealed,
        signing_secret_sealed, signing_credential_id, signing_credential_secret_id, created_at, updated_at)
      values ($1, $2, $3, 'disabled', 'partner', now(), $4, $5, $6, $7, 1, now(), now())`,
      [
        account_id,
        endpoint_id,
        `${sink_url}/hook/${number}`,
        // One of them subscribes to intake events.
        number === 0 ? ["RX_RECEIVED"] : ["ORDER_UPDATED"],
        seal("secret_sealed", "bench"),
        seal("signing_secret_sealed", "whsec_c2Vr"),
        credential_id,
      ],
    );
  }
  return ids;
}

const setStatus = ({ db }: Stage, account_id: string, status: "active" | "disabled") =>
  db.raw(
    status === "active"
      ? "update webhook_endpoint set status = 'active', disabled_reason = null, disabled_at = null where account_id = $1"
      : "update webhook_endpoint set status = 'disabled', disabled_reason = 'partner', disabled_at = now() where account_id = $1",
    [account_id],
  );

/** Creates all of them at once. None is due before the endpoints are enabled. */
async function queueDeliveries(
  stage: Stage,
  account_id: string,
  endpoint_ids: string[],
  bodies: string[],
  count: number,
): Promise<void> {
  await setStatus(stage, account_id, "disabled");
  await stage.db.raw(
    `with made as (
      insert into webhook_event (account_id, event_id, event_type, order_number, body, created_at)
      select $1, (substr(event_id_from(now())::text, 1, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, 'RX_UPDATED',
        'B' || n, ($3::text[])[1 + n % cardinality($3::text[])], now()
      from generate_series(1, $4::int) as n
      returning account_id, event_id, event_position, order_number, created_at
    )
    insert into webhook_delivery (account_id, event_id, endpoint_id, event_position, order_number, due_at)
    select account_id, event_id, ($2::uuid[])[1 + event_position % cardinality($2::uuid[])], event_position, order_number, created_at
    from made`,
    [account_id, endpoint_ids, bodies, count],
  );
  await stage.db.raw("vacuum analyze webhook_delivery");
}

async function isQueueEmpty({ db }: Stage): Promise<boolean> {
  return (await db.raw("select 1 from webhook_delivery limit 1")).rows.length === 0;
}

/** Events of the last weeks, each delivered at its first attempt. */
async function addFinished({ db }: Stage, account_id: string, endpoint_id: string, count: number): Promise<void> {
  if (count === 0) return;
  const begin_ms = Date.now();
  await db.transaction(async (tx) => {
    await tx.raw("set local statement_timeout = 0");
    await tx.raw("select add_webhook_weeks(now()::date - 21, now()::date)");
    await tx.raw("select set_config('pestle.copying', 'on', true)");
    await tx.raw(
      `insert into webhook_event (account_id, event_id, event_type, order_number, body, created_at)
      select $1, (substr(event_id_from(at)::text, 1, 14) || '7' || substr(gen_random_uuid()::text, 16))::uuid, 'RX_UPDATED', 'F' || n,
        repeat('x', 1200), at
      from generate_series(1, $2::int) as n, lateral (select now() - random() * interval '20 days' as at) t`,
      [account_id, count],
    );
    await tx.raw(
      `insert into webhook_attempt (account_id, event_id, endpoint_id, attempt, at, delivery_status, status, duration_ms,
        exchange_sealed)
      select e.account_id, e.event_id, $2, 1, e.created_at, 'delivered', 200, 12, p.secret_sealed || p.secret_sealed
      from webhook_event e
      join webhook_endpoint p on p.account_id = e.account_id and p.endpoint_id = $2
      where e.account_id = $1
      on conflict do nothing`,
      [account_id, endpoint_id],
    );
  });
  await db.raw("vacuum analyze");
  console.error(`${count} finished deliveries loaded in ${((Date.now() - begin_ms) / 1000).toFixed(0)} s`);
}

/** From the commit that wrote each event to its arrival. */
async function latencies({ db }: Stage, account_id: string, events: SinkTally["events"]): Promise<number[]> {
  const { rows } = await db.raw(
    `select event_id, extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as committed_ms
    from webhook_event
    where account_id = $1 and event_id = any($2::uuid[])`,
    [account_id, events.map(([event_id]) => event_id)],
  );
  const committed = new Map(rows.map((row) => [String(row["event_id"]), Number(row["committed_ms"])]));
  return events.map(([event_id, at_ms]) => at_ms - committed.get(event_id)!).sort((a, b) => a - b);
}
