import type { From } from "../chaos/server-process.ts";
import { openAccount } from "./account.ts";
import { openCheckout } from "./checkout.ts";
import { median, type Report } from "./figures.ts";
import { NUMBER_MARK } from "./intake-message.ts";
import type { Measured } from "./load.ts";
import { orderLoad } from "./operations/order-operations.ts";
import { openWebhooks } from "./operations/webhook-operations.ts";
import { type Effort, each, onStage, type Stage } from "./stage.ts";

/** Per 1,000 of what a load sends. */
type Round = {
  service_s: number | null;
  postgres_s: number | null;
  database_bytes: number;
  wal_bytes: number;
  connections: number;
  memory_bytes: number | null;
};
type Rows = Record<string, Round>;
type Sizing = { bench: "sizing"; rounds: number; seconds: number; rows: Rows; idle: Pick<Round, "memory_bytes"> };

/** Figures for the guide Operations: what an operator plans with. Orders come with their webhook of acceptance. */
export async function benchSizing(effort: Effort, { from }: { from?: From | undefined } = {}): Promise<Report<Sizing>> {
  const checkout = await openCheckout(".");
  return onStage({ checkout, from }, async (stage) => {
    const account = await openAccount(stage);
    const webhooks = await openWebhooks(stage, account);
    const orders = await orderLoad(stage, account);
    const { intakeLoad, operatorOf } = checkout.modules["bench/intake.ts"];
    const messages = await intakeLoad(stage, await operatorOf(stage), account.partner.ncpdp_id!);
    const idle = { memory_bytes: stage.memory_bytes() };
    let first = 1;
    const loads: Record<string, { prepare?(ms: number): Promise<unknown>; send(ms: number): Promise<Measured> }> = {
      orders,
      prescriptions: {
        async send(duration_ms) {
          const numbered = { mark: NUMBER_MARK, first };
          const measured = await stage.measure("NewRx", { ...messages, duration_ms, numbered });
          first += measured.count;
          return measured;
        },
      },
    };
    const rows: Rows = {};
    for (const [name, { prepare, send }] of Object.entries(loads)) {
      await prepare?.(effort.warm_up_ms);
      await send(effort.warm_up_ms);
      const measured: Round[] = [];
      for (let round = 1; round <= effort.rounds; round++) {
        await prepare?.(effort.round_ms);
        await stage.db.raw("checkpoint");
        const before = await stored(stage);
        const { result, service_ms, postgres_ms } = await stage.costOf(async () => {
          const sent = await send(effort.round_ms);
          await webhooks.settled();
          return sent;
        });
        const after = await stored(stage);
        const thousand = (total: number) => (1000 * total) / result.count;
        measured.push({
          service_s: each(service_ms, result.count),
          postgres_s: each(postgres_ms, result.count),
          database_bytes: thousand(after.database_bytes - before.database_bytes),
          wal_bytes: thousand(after.wal_bytes - before.wal_bytes),
          connections: after.connections,
          memory_bytes: stage.memory_bytes(),
        });
        console.error(`${name}: round ${round} of ${effort.rounds}, ${result.count} sent`);
      }
      rows[name] = middleOf(measured);
    }
    const json: Sizing = { bench: "sizing", rounds: effort.rounds, seconds: effort.round_ms / 1000, rows, idle };
    return { text: textOf(json), json, reached: true };
  });
}

/** What the database and its log hold, without space that a table keeps for later rows. */
async function stored({ db }: Stage) {
  const { rows } = await db.raw(`
    select
      (select sum(pg_total_relation_size(c.oid))::float8
        from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'm')) as database_bytes,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as wal_bytes,
      (select count(*)::integer from pg_stat_activity where application_name = 'pestle') as connections`);
  const [row] = rows;
  return {
    database_bytes: Number(row!["database_bytes"]),
    wal_bytes: Number(row!["wal_bytes"]),
    connections: Number(row!["connections"]),
  };
}

function middleOf(rounds: readonly Round[]): Round {
  const middle = (name: keyof Round) => {
    const values = rounds.map((one) => one[name]).filter((value) => value !== null);
    return values.length === 0 ? null : median(values);
  };
  return {
    service_s: middle("service_s"),
    postgres_s: middle("postgres_s"),
    database_bytes: middle("database_bytes")!,
    wal_bytes: middle("wal_bytes")!,
    connections: Math.max(...rounds.map(({ connections }) => connections)),
    memory_bytes: middle("memory_bytes"),
  };
}

const MIB = 1024 ** 2;
const shown = (value: number | null, unit: string, digits: number) =>
  value === null ? "not available" : `${value.toFixed(digits)} ${unit}`;

const textOf = ({ rows, idle }: Sizing) =>
  [
    ...Object.entries(rows).flatMap(([name, row]) => [
      `1,000 ${name}`,
      `  processor time   ${shown(row.service_s, "s", 2)} of the service, ${shown(row.postgres_s, "s", 2)} of PostgreSQL`,
      `  tables, indexes  ${shown(row.database_bytes / MIB, "MiB", 2)}`,
      `  write-ahead log  ${shown(row.wal_bytes / MIB, "MiB", 2)}`,
      `  connections      ${row.connections} at most`,
      `  memory           ${shown(row.memory_bytes && row.memory_bytes / MIB, "MiB", 0)}`,
    ]),
    `memory of the idle service: ${shown(idle.memory_bytes && idle.memory_bytes / MIB, "MiB", 0)}`,
  ].join("\n");
