import { setTimeout as delay } from "node:timers/promises";
import { openDb } from "../../server/src/db/db.ts";
import { type BusyTally, whileBusy } from "../busy/busy-service.ts";
import type { Own } from "../campaigns/own-database.ts";
import { isRunning, postmasterPid } from "../postmaster.ts";
import { startPair } from "../server-pair.ts";
import type { From } from "../server-process.ts";
import { until } from "../until.ts";

type Postmaster = { pid: number; random: () => number };

const LONGEST_SMART_MS = 3_000;

/** The ways in which an operator stops PostgreSQL. */
const stops = {
  /** It takes no new connections and waits for the old ones, which a service never ends. The operator loses patience. */
  async smart({ pid, random }: Postmaster) {
    process.kill(pid, "SIGTERM");
    await delay(random() * LONGEST_SMART_MS);
    if (isRunning(pid)) process.kill(pid, "SIGINT");
  },
  /** It ends all connections, and rolls back what they have not committed. */
  async fast({ pid }: Postmaster) {
    process.kill(pid, "SIGINT");
  },
  /** It ends at once, and recovers when it starts. */
  async immediate({ pid }: Postmaster) {
    process.kill(pid, "SIGQUIT");
  },
} satisfies Record<string, (postmaster: Postmaster) => Promise<void>>;

/** Longest time without PostgreSQL. */
const LONGEST_AWAY_MS = 2_000;

export type StopKind = keyof typeof stops;
export const STOP_KINDS = Object.keys(stops) as StopKind[];

/** Stops PostgreSQL, waits, and starts it again. */
export async function restartPostgres(
  { data_dir, postgres }: Own,
  kind: StopKind,
  random: () => number,
): Promise<void> {
  const pid = postmasterPid(data_dir)!;
  await stops[kind]({ pid, random });
  await until("PostgreSQL has stopped", () => !isRunning(pid));
  await delay(random() * LONGEST_AWAY_MS);
  await until("PostgreSQL runs again", () =>
    postgres.ensureRunning().then(
      () => true,
      () => false,
    ),
  );
}

/** Restarts of the database under two busy processes. `first` is the number of the first one, so that stages run every kind. */
export async function restartDatabase(
  own: Own,
  {
    from,
    restarts,
    first = 0,
    random,
    onRestart = () => {},
  }: {
    from: From;
    restarts: number;
    first?: number;
    random: () => number;
    onRestart?: (kind: string, outage_ms: number) => void;
  },
): Promise<BusyTally> {
  const { database_url, master_key } = own;
  const pair = await startPair({ database_url, master_key, from, pool_size: 8 });
  const db = openDb({ connection: { connectionString: database_url }, pool_size: 2, named_statements: false });
  try {
    return await whileBusy({ campaign: "restarts", ...pair, db, random }, async ({ suffer }) => {
      for (let number = first; number < first + restarts; number++) {
        const kind = STOP_KINDS[number % STOP_KINDS.length]!;
        const outage_ms = await suffer(kind, () => restartPostgres(own, kind, random));
        onRestart(kind, outage_ms);
      }
    });
  } finally {
    await db.close();
    await pair.stop();
  }
}
