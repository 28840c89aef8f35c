/** The history of the database that a process is connected to. Positions are those of PostgreSQL's log. */
export type DatabaseRun = {
  /** PostgreSQL gives it to a data folder, its replicas and its physical backups. A new folder has another. */
  system_id: string;
  /** PostgreSQL counts it up at each promotion, and at each restore to a moment. */
  timeline: number;
  position: number;
  /** The end of what the server has from the timeline before, if it has not restarted since. */
  kept_position: number | null;
  /** When the last transaction of the timeline before was committed. */
  kept_until: Date | null;
  /** Whether each commit waits for a second server. */
  synchronous: boolean;
  /** Where a restore had to stop; empty without one. */
  recovery_target: string;
  /** Readers of the feed have come no further. */
  feed_horizon: number;
  /** The database's clock. */
  now: Date;
};
/** What the database remembers of the history before. It comes from that history itself. */
export type KnownRun = Pick<DatabaseRun, "system_id" | "timeline" | "synchronous" | "recovery_target"> & {
  seen_at: Date;
};
/** What the service acknowledged in this time may be missing. */
export type DataLoss = { lost_from: Date; lost_until: Date; lost_bytes: number | null };

/**
 * What the start of a new timeline may have lost; undefined if nothing. `witness` is what this process saw last, and `known` what
 * the database says, for a process that saw nothing.
 */
export function lossAt(
  run: DatabaseRun,
  known: KnownRun | undefined,
  witness: DatabaseRun | undefined,
): DataLoss | undefined {
  const before = witness ?? known;
  // After `pg_upgrade`, a dump or a move, timelines count from the start. They say nothing about the folder before.
  if (before === undefined || run.system_id !== before.system_id) return undefined;
  if (run.timeline < before.timeline) return witness && lossAtReturn(run, known, witness);
  if (run.timeline === before.timeline) return undefined;
  const restored = run.recovery_target !== "" && run.recovery_target !== before.recovery_target;
  // Every acknowledged commit was on the second server. More of the log than that may be missing, which no answer promised.
  if (before.synchronous && !restored) return undefined;
  // The row that the new server has: what was acknowledged before it is there, too. A witness looked at the old server later.
  const seen_at = known?.seen_at ?? witness!.now;
  return {
    lost_from: run.kept_until ?? seen_at,
    lost_until: run.now,
    lost_bytes: missingBytes(run, witness),
  };
}

/**
 * A server that another one had replaced leads again, such as a primary that was frozen for longer than its lease. What the other one
 * acknowledged is lost, however commits waited. The row of this server is from before.
 */
const lossAtReturn = (run: DatabaseRun, known: KnownRun | undefined, witness: DatabaseRun): DataLoss => ({
  lost_from: known?.seen_at ?? witness.now,
  lost_until: run.now,
  lost_bytes: null,
});

/** Whether the server led before another one did, whose history is gone. */
export const hasReturned = (run: DatabaseRun, witness: DatabaseRun | undefined): boolean =>
  witness !== undefined && run.system_id === witness.system_id && run.timeline < witness.timeline;

/** Positions of one timeline and the next can be compared. After two changes, more was written in between. */
function missingBytes({ timeline, kept_position }: DatabaseRun, witness: DatabaseRun | undefined): number | null {
  if (witness === undefined || kept_position === null || timeline !== witness.timeline + 1) return null;
  return witness.position > kept_position ? witness.position - kept_position : null;
}
