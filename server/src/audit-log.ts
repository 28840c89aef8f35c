import type { AuditNote } from "./usecases/operations/audit-note.ts";

/**
 * Buffers the audit entries of reads. A job writes them (usecases/operations/keep-reads.ts). The buffer is bounded in
 * entries and bytes; if it is full because the database is slow or down, `add` refuses, and so must the read.
 */
export type AuditLog = {
  /** False if the buffer is full. */
  add(entry: AuditNote): boolean;
  /** The oldest buffered entries; they stay until `remove` confirms that they are written. */
  oldest(most: number): AuditNote[];
  remove(count: number): void;
  readonly waiting: number;
  /** Called when the buffer holds a batch, so that the job need not wait for its timer. */
  onBatch: () => void;
};

/** A crash loses at most what the buffer holds. */
const MOST_ENTRIES = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;
const BATCH = 500;
/** The fixed fields of an entry; ids of patients come on top. */
const ENTRY_BYTES = 400;
const PATIENT_BYTES = 60;

export function createAuditLog(most_entries = MOST_ENTRIES, most_bytes = MOST_BYTES): AuditLog {
  let waiting: AuditNote[] = [];
  let bytes = 0;
  const sizeOf = ({ patients = [] }: AuditNote) => ENTRY_BYTES + PATIENT_BYTES * patients.length;
  return {
    add(entry) {
      const size = sizeOf(entry);
      if (waiting.length >= most_entries || bytes + size > most_bytes) return false;
      waiting.push(entry);
      bytes += size;
      if (waiting.length % BATCH === 0) this.onBatch();
      return true;
    },
    oldest: (most) => waiting.slice(0, most),
    remove(count) {
      for (const entry of waiting.slice(0, count)) bytes -= sizeOf(entry);
      waiting = waiting.slice(count);
    },
    get waiting() {
      return waiting.length;
    },
    onBatch: () => {},
  };
}
