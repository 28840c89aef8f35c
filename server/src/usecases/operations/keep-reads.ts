import { endWriter, insertAudit, insertAudits, noteWritten, takeDeadWriters } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { transact } from "../write.ts";
import { withPatientIndexes } from "./audit-note.ts";

/** Entries per statement. */
const BATCH = 1_000;
/** A process notes that it runs at least this often, even if it has nothing to write. */
const NOTE_EVERY_MS = 10_000;
/** A process that has not noted anything for this long has ended. */
const DEAD_AFTER_MS = 60_000;

export type ReadKeeper = { run(): Promise<void>; stop(): Promise<void> };

/**
 * Writes the audit entries of reads since the last run, together with the time up to which they are complete. A process
 * that ends without `stop` leaves that time behind, and another process, or the next start, reports the gap.
 */
export function readKeeper(deps: Pick<Deps, "db" | "vault" | "audit_log" | "now">, process_id: string): ReadKeeper {
  let noted_ms = 0;
  const keep = async (): Promise<{ noted: boolean }> => {
    for (;;) {
      // Reads answered before this time are in the batch, or were in an earlier one.
      const now = deps.now();
      const batch = deps.audit_log.oldest(BATCH);
      const whole = batch.length === deps.audit_log.waiting;
      const due = now.getTime() - noted_ms >= NOTE_EVERY_MS;
      if (batch.length === 0 && !due) return { noted: false };
      await transact(deps, async (tx) => {
        if (batch.length > 0)
          await insertAudits(
            tx,
            batch.map((entry) => withPatientIndexes(deps.vault, entry)),
          );
        if (whole) await noteWritten(tx, process_id, now);
      });
      deps.audit_log.remove(batch.length);
      if (!whole) continue;
      noted_ms = now.getTime();
      return { noted: true };
    }
  };
  return {
    async run() {
      if ((await keep()).noted) await reportGaps(deps);
    },
    async stop() {
      await keep();
      if (deps.audit_log.waiting === 0) await endWriter(deps.db, process_id);
    },
  };
}

/** Writes an entry for each process that ended before it wrote its last reads. */
export async function reportGaps(deps: Pick<Deps, "db" | "now">): Promise<number> {
  const now = deps.now();
  return transact(deps, async (tx) => {
    const dead = await takeDeadWriters(tx, new Date(now.getTime() - DEAD_AFTER_MS));
    for (const { process_id, written_until } of dead) {
      const subject = `process ${process_id}, reads after ${written_until.toISOString()}`;
      const by = { person_id: null, role: "system", account_id: null, request_id: null };
      await insertAudit(tx, { at: now, action: "audit_gap", subject, ...by });
    }
    return dead.length;
  });
}
