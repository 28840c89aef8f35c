import type pg from "pg";
import { StatusRefusal } from "../domain/values/refusals.ts";

/**
 * Keeps two index keys from being in use at once (ADR 0052). Every connection of Pestle holds this lock in shared mode for as
 * long as it lives, and the rotation of the index key holds it alone. So no process has a connection while the key changes,
 * and a process that comes back afterward finds another key than the one it computes with.
 */
export const INDEX_KEY_LOCK = 7_205_525;

/** The database refused this process a connection because of the index key. A command prints the message. */
export class IndexKeyRefusal extends StatusRefusal {
  constructor(message: string) {
    super(503, RETRY_AFTER_S);
    this.message = message;
  }
}
const RETRY_AFTER_S = 1;

const messages = {
  busy: "`pestle keys rotate --index` or `pestle distribute` has the database to itself. Try again when it has finished.",
  changed: "The index key changed while this process was disconnected. Restart it.",
} as const;

/** One for all connections of a process. */
export type IndexKeyFence = {
  /** From now on, a new connection must find this index key. The vault calls it with the key that it reads. */
  require(index_key_id: string): void;
  /** Sets up a connection, in one round trip, and returns the answers. It serves nothing if this throws. */
  enter(
    client: Pick<pg.ClientBase, "query">,
    settings: readonly string[],
    query_timeout: number,
  ): Promise<pg.QueryResult[]>;
  /** The key that a new connection must find; undefined before the vault has read it. */
  required(): string | undefined;
  /** The refusal behind an error of `require_index_key`, or the error itself. */
  refusalOf(error: unknown): unknown;
};

/** The errors of the function `require_index_key`. */
const RAISED: Readonly<Record<string, keyof typeof messages>> = { PK001: "busy", PK002: "changed" };

/** `onChanged`: this process computes with a key that the database no longer has, so it must end. */
export function indexKeyFence(onChanged: (error: Error) => void = () => {}): IndexKeyFence {
  let required: string | undefined;
  const refusal = (refused: keyof typeof messages) => {
    const error = new IndexKeyRefusal(messages[refused]);
    if (refused === "changed") onChanged(error);
    return error;
  };
  return {
    required: () => required,
    refusalOf(error) {
      const refused = RAISED[String((error as { code?: unknown } | null)?.code)];
      return refused === undefined ? error : refusal(refused);
    },
    require(index_key_id) {
      required = index_key_id;
    },
    async enter(client, settings, query_timeout) {
      for (;;) {
        const expected = required;
        const answers = await answersTo(client, [...settings, ...checks(expected)], query_timeout);
        const refused = answers.flatMap(({ rows }) => rows ?? []).find((row) => row.refused !== undefined)?.refused;
        if (refused !== undefined) throw refusal(refused as keyof typeof messages);
        // If the vault read its key meanwhile, this connection has not compared it yet.
        if (required === expected) return answers;
      }
    },
  };
}

/** Each check returns a row if it refuses. The key is read after the lock is held, with a snapshot of its own. */
function checks(expected: string | undefined): string[] {
  const entered = `select 'busy' as refused where not pg_try_advisory_lock_shared(${INDEX_KEY_LOCK})`;
  if (expected === undefined) return [entered];
  const newest = "select index_key_id from index_key order by layer desc limit 1";
  return [
    entered,
    `select 'changed' as refused where (${newest}) is distinct from '${expected.replaceAll("'", "''")}'`,
  ];
}

async function answersTo(
  client: Pick<pg.ClientBase, "query">,
  statements: readonly string[],
  query_timeout: number,
): Promise<pg.QueryResult[]> {
  const text = ["begin isolation level read committed", ...statements, "commit"].join("; ");
  const answers: unknown = await client.query({ text, query_timeout } as pg.QueryConfig);
  // The driver returns a list for several statements.
  return [answers as pg.QueryResult | pg.QueryResult[]].flat();
}
