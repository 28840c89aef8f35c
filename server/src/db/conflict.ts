/** 40001: a guard of ours; 23505, 23514: a unique index or a check; 40P01: a deadlock. */
const CONFLICTS = new Set(["40001", "23505", "23514", "40P01"]);

/** Somebody was faster, and what was decided on has changed: load and decide once more. */
export const isConflict = (error: unknown): boolean => CONFLICTS.has(String((error as { code?: unknown }).code));
