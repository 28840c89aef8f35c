import { addLoss, findLoss, keepRun, loadRun, lockKnownRun, openLosses } from "../../../db/operations/database-runs.ts";
import { restartFeed } from "../../../db/webhooks/account-events.ts";
import type { Deps } from "../../../deps.ts";
import { type DatabaseRun, type DataLoss, hasReturned, lossAt } from "../../../domain/operations/data-loss.ts";
import { BoundedMap } from "../../../domain/values/bounded-map.ts";
import { OutOfReach } from "../../../domain/values/refusals.ts";

type WatchDeps = Pick<Deps, "db" | "log" | "metrics">;
export type RunWatch = { look(): Promise<void> };

/** The database knows within about this time what replication was like before it failed. */
const KEEP_EVERY_MS = 60_000;
/** A server that leads again was replaced a moment ago. */
const MOST_TIMELINES = { entries: 4, bytes: 4_096, bytesOf: () => 512 };
/** Without the right, the function or the feature. A hosted database may withhold them, and then it does so every time. */
const WITHHELD = new Set(["42501", "42883", "0A000"]);

/**
 * Watches which history of the database this process is connected to. After a failover, the process is a witness: it knows how far
 * the server before had come. Every process looks, because each may be the only one that survives.
 */
export function runWatch({ db, log, metrics }: WatchDeps): RunWatch {
  let witness: DatabaseRun | undefined;
  /** What this process saw last of each timeline. */
  const seen = new BoundedMap<DatabaseRun>(MOST_TIMELINES);
  let kept_ms = Number.NEGATIVE_INFINITY;
  let blind = false;
  return {
    async look() {
      if (blind) return;
      try {
        const run = await loadRun(db);
        const same = witness !== undefined && isSame(run, witness);
        if (!same || run.now.getTime() - kept_ms >= KEEP_EVERY_MS) {
          const loss = await compare(db, run, witness, seen.get(String(run.timeline)));
          kept_ms = run.now.getTime();
          if (loss !== undefined) log.error(shown(loss), LOST);
          metrics.setGauge("pestle_data_losses_open", (await openLosses(db)).length);
        }
        witness = run;
        seen.set(String(run.timeline), run);
      } catch (error) {
        // The jobs and requests that need the database report that it is out of reach. The next look compares with the same witness.
        if (error instanceof OutOfReach) return;
        if (!WITHHELD.has((error as { code?: string }).code ?? "")) throw error;
        blind = true;
        log.warn({ fault: (error as Error).message }, "this PostgreSQL does not tell whether a failover lost writes");
      }
    },
  };
}

export const LOST =
  "a failover or a restore may have lost acknowledged writes: the partners' feeds say so; see `pestle database losses`";

export const shown = ({ lost_from, lost_until, lost_bytes }: DataLoss) => ({
  lost_from: lost_from.toISOString(),
  lost_until: lost_until.toISOString(),
  lost_bytes,
});

const isSame = (one: DatabaseRun, other: DatabaseRun) =>
  one.system_id === other.system_id && one.timeline === other.timeline && one.synchronous === other.synchronous;

const compare = (
  db: Deps["db"],
  run: DatabaseRun,
  witness: DatabaseRun | undefined,
  /** The same timeline, if this process saw it before. */
  earlier: DatabaseRun | undefined,
): Promise<DataLoss | undefined> =>
  db.transaction(async (tx) => {
    const known = await lockKnownRun(tx);
    const loss = lossAt(run, known, witness);
    if (loss !== undefined && hasReturned(run, witness)) {
      const gone = { ...run, timeline: -witness!.timeline };
      const { lost_until } = (await findLoss(tx, gone)) ?? {};
      await addLoss(tx, gone, loss);
      const done_since = lost_until !== undefined && earlier !== undefined && lost_until > earlier.now;
      if (!done_since) await restartFeed(tx, earlier?.feed_horizon ?? null);
    } else if (loss !== undefined) await addLoss(tx, run, loss);
    await keepRun(tx, run);
    return loss;
  });
