import type { Statement, StatementLine } from "@pestle/contract";
import {
  beforeFirstLine,
  findLedger,
  findStatement,
  type LedgerRow,
  type LinePosition,
  type LineRow,
  listLines,
  listStatements,
  type StatementRow,
  sumMonths,
} from "../../db/statements/statements.ts";
import type { Deps } from "../../deps.ts";
import { boundsOf, type Month, openMonths } from "../../domain/statements/months.ts";
import { lineAnswer, statementAnswer } from "../../domain/statements/statement-answer.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openReference } from "../orders/read-orders.ts";

export type ReadDeps = Pick<Deps, "db" | "vault" | "config">;

/** An account's statements before a month, newest first, and whether there are more. */
export async function readStatements(
  { db, config }: ReadDeps,
  account_id: string,
  before: string,
  limit: number,
): Promise<{ statements: Statement[]; more: boolean }> {
  const ledger = await findLedger(db, account_id);
  if (ledger === undefined) return { statements: [], more: false };
  const months = monthsIn(config.TIME_ZONE, ledger).filter(({ month }) => month < before);
  const sums = await sumMonths(db, account_id, months);
  const open = months
    .map((month, index) => statementAnswer(month, null, sums[index]!))
    .filter(({ line_count }) => line_count > 0);
  // A month that closes now is among the open ones, so that it appears once.
  const until = ledger.closed_month;
  const closed =
    until === null || open.length > limit ? [] : await listStatements(db, account_id, before, until, limit + 1);
  const statements = [...open, ...closed.map(closedAnswer)];
  return { statements: statements.slice(0, limit), more: statements.length > limit };
}

const monthsIn = (zone: string, { first_open_at, last_open_at, ...closed }: LedgerRow): Month[] =>
  first_open_at === null || last_open_at === null ? [] : openMonths(zone, closed, first_open_at, last_open_at);

const monthOf = ({ month, from_at, to_at }: StatementRow): Month => ({ month, from: from_at, to: to_at });
const closedAnswer = (row: StatementRow): Statement => statementAnswer(monthOf(row), row.closed_at, row.sums);

export type ReadStatement = {
  statement: Statement;
  lines: StatementLine[];
  /** Where the next page begins; null at the end. */
  next: LinePosition | null;
  /** The patients of the lines' orders. */
  patient_keys: number[];
};

/** A month with the lines after a position; undefined if it has no lines. */
export async function readStatement(
  deps: ReadDeps,
  account_id: string,
  month: string,
  after: LinePosition | null,
  limit: number,
): Promise<ReadStatement | undefined> {
  const found = await findMonth(deps, account_id, month);
  if (found === undefined) return undefined;
  const { bounds, statement } = found;
  return withKeysOfNow(deps, async () => {
    const rows = await listLines(deps.db, account_id, bounds.to, after ?? beforeFirstLine(bounds), limit + 1);
    const shown = rows.slice(0, limit);
    return {
      statement,
      lines: shown.map((row) => lineOf(deps, account_id, row)),
      next: rows.length > limit ? shown.at(-1)! : null,
      patient_keys: shown.flatMap(({ patient_key }) => patient_key ?? []),
    };
  });
}

async function findMonth(
  { db, config }: ReadDeps,
  account_id: string,
  month: string,
): Promise<{ bounds: Month; statement: Statement } | undefined> {
  const ledger = await findLedger(db, account_id);
  if (ledger === undefined) return undefined;
  if (ledger.closed_month !== null && month <= ledger.closed_month) {
    const row = await findStatement(db, account_id, month);
    return row && { bounds: monthOf(row), statement: closedAnswer(row) };
  }
  const bounds = boundsOf(config.TIME_ZONE, ledger, month);
  const [sums] = await sumMonths(db, account_id, [bounds]);
  const statement = statementAnswer(bounds, null, sums!);
  return statement.line_count === 0 ? undefined : { bounds, statement };
}

function lineOf(deps: Pick<Deps, "vault">, account_id: string, row: LineRow): StatementLine {
  return lineAnswer({ ...row, reference: openReference(deps, { ...row, account_id }) });
}
