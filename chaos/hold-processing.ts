import { connectToPostgres } from "./postmaster.ts";
import { until } from "./until.ts";

/**
 * Where a message is held between storage and processing. `deciding`: the service cannot read the data for its
 * decision, so it has sent nothing more. `saving`: the service has sent its changes, which wait for a lock on a
 * referenced row. If only the service is killed, the database may still apply them.
 */
export type Stage = "deciding" | "saving";

const LOCKS: Record<Stage, string> = {
  deciding: "lock table patient_name_claim in access exclusive mode",
  saving: "select from account where partner_id is not null for update",
};
const WAIT_MS = 60_000;

export type Hold = {
  /** Messages that were stored and not yet processed when the hold was complete. */
  waiting: number;
  release(): Promise<void>;
};

/**
 * The time between storage and processing is a few milliseconds, so random kills rarely hit it. Here another session
 * holds a lock, as a long query or a migration may, until as many messages wait for it as there are writers. `left`
 * holds the ids that remained from earlier kills.
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
  await until("every writer waits for the lock", async () => (await count()) >= writers, { deadline_ms: WAIT_MS });
  return {
    waiting: await count(),
    // Its connection may be gone, together with the database.
    release: () => client.end().catch(() => {}),
  };
}
