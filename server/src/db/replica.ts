import { StatusRefusal } from "../domain/values/refusals.ts";
import type { Change } from "./bus.ts";
import { CHANNEL, type Database, type Queryable, type Statement, sql } from "./db.ts";

/** What a replica shows. */
export type ReplicaView = {
  /** It has replayed the primary's log up to here, in bytes. */
  position: number;
  /** It has replayed everything that was committed before this time, by the clock of the primary. */
  marked_ms: number;
  /** The start of the primary that wrote the mark. */
  server_ms: number;
};

const mark = sql<[]>`
insert into replica_mark (at, server_started_at)
values (clock_timestamp(), pg_postmaster_start_time())
on conflict (singleton) do update set at = excluded.at, server_started_at = excluded.server_started_at
where replica_mark.at not between excluded.at - interval '0.8 seconds' and excluded.at
  or replica_mark.server_started_at <> excluded.server_started_at`;
/** Writes the mark, unless another process just did. A mark from the future is from before the clock was set back. */
export const writeMark = (primary: Queryable) => primary.run(mark, []);

// A replica that was promoted is as good as ever.
const view = sql<[], ReplicaView>`
select
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end - '0/0')::float8 as position,
  extract(epoch from m.at)::float8 * 1000 as marked_ms,
  extract(epoch from m.server_started_at)::float8 * 1000 as server_ms
from replica_mark m`;
/** Undefined before the first mark has arrived. */
export const loadReplicaView = (replica: Queryable) => replica.row(view, []);

// With asynchronous commits, a commit is acknowledged before it is flushed.
const newest = sql<[], { position: number }>`
select (
  case current_setting('synchronous_commit')
    when 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_flush_lsn()
  end - '0/0')::float8 as position`;
/** Behind every commit that was acknowledged. */
export const loadPosition = async (primary: Queryable) => (await primary.row(newest, []))!.position;

const tell = sql<[channel: string, change: string], { position: number }>`
select pg_notify($1, $2), (
  case current_setting('synchronous_commit')
    when 'off' then pg_current_wal_insert_lsn()
    else pg_current_wal_flush_lsn()
  end - '0/0')::float8 as position`;
/** Tells all processes that the parties have seen what a replica may not have yet. Returns the position, as `loadPosition`. */
export async function announceAhead(primary: Queryable, parties: string[]): Promise<number> {
  const change: Change = { kind: "ahead", account_id: "", ids: parties };
  return (await primary.row(tell, [CHANNEL, JSON.stringify(change)]))!.position;
}

/** Conflicts with the replay, writes, what exists on the primary alone, and a server that stops. */
const ONLY_ON_REPLICAS = /^(40|25006|0A000|55000|57P)/;
/** Whether the primary can answer instead. */
export const isReplicaFault = (error: unknown): boolean =>
  error instanceof StatusRefusal || ONLY_ON_REPLICAS.test(String((error as { code?: unknown } | null)?.code));

/** Runs a statement on a replica, or if that fails, the other function on the primary. */
export type Attempt = <Result>(read: () => Promise<Result>, otherwise: () => Promise<Result>) => Promise<Result>;

/** The primary, with a replica that answers the statements that only read. */
export const readingFrom = (replica: Queryable, primary: Database, attempt: Attempt): Database => {
  const answers = (statement: Pick<Statement<never, unknown>, "only_reads">) => statement.only_reads === true;
  return {
    ...primary,
    inTrace: (traceparent) => readingFrom(replica, primary.inTrace(traceparent), attempt),
    rows: (statement, params) =>
      answers(statement)
        ? attempt(
            () => replica.rows(statement, params),
            () => primary.rows(statement, params),
          )
        : primary.rows(statement, params),
    row: (statement, params) =>
      answers(statement)
        ? attempt(
            () => replica.row(statement, params),
            () => primary.row(statement, params),
          )
        : primary.row(statement, params),
  };
};
