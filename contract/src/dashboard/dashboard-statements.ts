import type { Statement } from "../statements/statements.ts";

/**
 * GET /dashboard/statements/{account_id} and GET /portal/{environment}/statements: the months of an account, newest first.
 * `…/{month}` has a page of its lines, and `…/{month}/csv` all of them as a file. The server audits both.
 */
export type StatementMonths = { statements: Statement[]; next_cursor: string | null };

/**
 * POST /dashboard/statements/{account_id} (lead, admin): a fee or a credit. The same `key` with the same content
 * books nothing and returns the first line, so the page can send it again.
 */
export type AdjustmentRequest = {
  kind: "fee" | "credit";
  /** More than zero, for a credit too. */
  amount_cents: number;
  description: string;
  key: string;
  order_number?: string | null;
  /** A day of an open month. Without it, the line is booked now. */
  on?: string | null;
};
/** `repeated`: it was booked before, with the same key. */
export type BookedAdjustment = { line_id: string; booked_at: string; amount_cents: number; repeated: boolean };
