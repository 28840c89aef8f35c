import { connectToPostgres } from "./postmaster.ts";
import { until } from "./until.ts";

/**
 * Where a message is kept waiting between being kept and being done with. `deciding`: what it is decided on cannot be
 * read, so nothing more was sent for it. `saving`: the changes were sent and wait for a row that they refer to; where
 * only the service is killed, the database may still make them.
 */
export type Stage = "deciding" | "saving";

const LOCKS: Record<Stage, string> = {
  deciding: "lock table patient_name_claim in access exclusive mode",
  saving: "select from account where partner_id is not null for update",
};
const WAIT_MS = 60_000;

export type Hold = {
  /** Messages that were kept and not done with when the hold was complete. */
  waiting: number;
  release(): Promise<void>;
};

/**
 * The moment between keeping and processing lasts a few milliseconds, and random kills rarely hit it. Here somebody
 * else has a lock, as a long query or a migration may, until as many messages wait for it as there are writers. `left` are
 * the ids of those that were left from earlier kills.
 */
export async function holdProcessing(
  data_dir: string,
  stage: Stage,
  { writers, left }: { writers: number; left: readonly string[] },
): Promise<Hold> {
  const client = await connectToPostgres(data_dir);
  await client.query("begin");
  await client.query(LOCKS[stage]);
  const text = `
    select count(*)::int as count
    from intake_message
    where state = 'received' and sender_message_id <> all($1)`;
  const count = async () => (await client.query<{ count: number }>(text, [left])).rows[0]!.count;
  await until("every writer waits", async () => (await count()) >= writers, { deadline_ms: WAIT_MS });
  return {
    waiting: await count(),
    // Its connection may have gone with the database.
    release: () => client.end().catch(() => {}),
  };
}
