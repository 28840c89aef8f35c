import { randomUUID } from "node:crypto";
import { compactAsciiJson } from "@pestle/contract";
import { until } from "../../chaos/until.ts";
import type { Account } from "../account.ts";
import { cpuUsedFrom } from "../cpu.ts";
import type { Round } from "../figures.ts";
import type { Measured } from "../load.ts";
import type { SinkQuestion, SinkTally } from "../sink.ts";
import { type Ceiling, each, type Stage } from "../stage.ts";
import type { LoopRun } from "../undici-loop.ts";
import { type Operation, roundOf } from "./operation.ts";

const ENDPOINTS = 4;
/** As many as the service sends concurrently. */
const CONCURRENCY = 256;
const DIFFERENT_BODIES = 500;
/** More than the service delivers in a second, so that a round lasts at least as long as it should. */
const DELIVERIES_PER_SECOND = 4_000;

export type Webhooks = Awaited<ReturnType<typeof openWebhooks>>;

/** A sink on this machine and the account's endpoints to it. One of them subscribes to the events of orders. */
export async function openWebhooks(stage: Stage, { account_id, ask: askService }: Account) {
  const sink = stage.child("./sink.ts");
  const ask = async (question: SinkQuestion) => (await sink.ask(question))["tally"] as SinkTally;
  const { url } = await ask({ begin: { note_events: false } });
  const endpoint_ids: string[] = [];
  for (let number = 0; number < ENDPOINTS; number++) {
    const events = number === 0 ? ["RX_UPDATED"] : ["ENDPOINT_DISABLED"];
    const body = { url: `${url}/hook/${number}`, secret: "bench", events };
    const { json } = await askService("/webhook_endpoints", { method: "POST", body });
    endpoint_ids.push(String(json["id"]));
  }
  const settled = () => until("every event is delivered", () => isQueueEmpty(stage), { deadline_ms: 300_000 });
  return {
    url,
    ask,
    endpoint_ids,
    settled,
    /** Measures the time from commit to first attempt while the load runs. */
    async firstAttempts(load: () => Promise<Measured>) {
      await ask({ begin: { note_events: true } });
      const half = await load();
      await settled();
      const sorted = await latencies(stage, account_id, (await ask("tell")).events);
      await ask({ begin: { note_events: false } });
      const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? null;
      const more: Record<string, Partial<Round>> = {
        "first attempt after commit": { p50_ms: at(0.5), p99_ms: at(0.99) },
      };
      return { half, more };
    },
  };
}

/** Deliveries that are due at once, signed, sent and recorded, compared with undici posting the same bodies. */
export function webhookOperations(stage: Stage, { account_id }: Account, webhooks: Webhooks): Operation[] {
  const { url, ask, endpoint_ids, settled } = webhooks;
  const loop = stage.child("./undici-loop.ts");
  const bodies = Array.from({ length: DIFFERENT_BODIES }, (_, number) => sampleBody(randomUUID(), number));
  const countFor = (duration_ms: number) => Math.ceil((DELIVERIES_PER_SECOND * duration_ms) / 1000);
  const alone = async (count: number): Promise<Ceiling> => {
    const run: LoopRun = { url: `${url}/hook`, bodies, headers: SAMPLE_HEADERS, concurrency: CONCURRENCY, count };
    const used_ms = cpuUsedFrom(loop.pid);
    const { per_second } = (await loop.ask(run)) as { per_second: number };
    return { per_second, cpu_ms: each(used_ms(), count) };
  };
  const deliver = async (count: number) => {
    await queueDeliveries(stage, account_id, endpoint_ids, bodies, count);
    await ask({ begin: { note_events: false } });
    const cost = await stage.costOf(async () => {
      await setStatus(stage, account_id, "active");
      await settled();
    });
    const tally = await ask("tell");
    if (tally.count !== count) throw new Error(`${count} deliveries arrived ${tally.count} times`);
    return { cost, count, per_second: (count / (tally.last_ms - tally.first_ms)) * 1000 };
  };
  return [
    {
      key: "delivery",
      async warmUp(duration_ms) {
        await alone(countFor(duration_ms));
        await deliver(countFor(duration_ms));
      },
      async round(round_ms) {
        const { cost, ...delivered } = await deliver(countFor(round_ms));
        return { "webhook delivery": roundOf(delivered, cost, await alone(countFor(round_ms))) };
      },
    },
  ];
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
