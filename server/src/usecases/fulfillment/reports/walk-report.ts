import { reportRow } from "@pestle/contract";
import { listAccounts } from "../../../db/accounts/accounts.ts";
import { periodProblem } from "../../../domain/fulfillment/report-period.ts";
import { addDays, startOfDay } from "../../../domain/values/calendar.ts";
import { AdminRefusal } from "../../accounts/admin-refusal.ts";
import { accessLines } from "./access-lines.ts";
import { counselingLines } from "./counseling-lines.ts";
import { dispensingLines } from "./dispensing-lines.ts";
import { errorLines } from "./error-lines.ts";
import { ledgerLines } from "./ledger-lines.ts";
import { merged } from "./merged.ts";
import { overrideLines } from "./override-lines.ts";
import type { AskedReport, Days, ReportDeps, ReportLine } from "./report-source.ts";

/** The reports that merge the rows of all partners. */
const sources = {
  dispensing: dispensingLines,
  overrides: overrideLines,
  errors: errorLines,
  ledger: ledgerLines,
  counseling: counselingLines,
};

type AnyLine = Omit<ReportLine, "cells"> & { cells: Readonly<Record<string, string>> };

/** A row of a report: its cells in the order of the columns. */
export type ReportRow = { account_id: string | null; patient_key: number | null; cells: string[] };

/**
 * The rows of a report, oldest first, read page by page as the caller takes them. Days are in the pharmacy's time zone, by each
 * account's own clock. Throws before the first row if the question is not valid.
 */
export function walkReport(deps: ReportDeps, asked: AskedReport): AsyncGenerator<ReportRow> {
  const problem = periodProblem(asked.from, asked.to);
  if (problem !== null) throw new AdminRefusal(problem);
  const zone = deps.config.TIME_ZONE;
  const days = { from: startOfDay(zone, asked.from), before: startOfDay(zone, addDays(asked.to, 1)) };
  return rowsOf(asked, linesOf(deps, asked, days));
}

function linesOf(deps: ReportDeps, asked: AskedReport, days: Days): AsyncGenerator<AnyLine> {
  if (asked.report !== "access") return ofAccounts(deps, { ...asked, report: asked.report }, days);
  if (asked.someone === null) throw new AdminRefusal("Choose a person, or an account and a patient.");
  return accessLines(deps, asked.someone, days);
}

async function* ofAccounts(
  deps: ReportDeps,
  { report, environment, reveal }: AskedReport & { report: keyof typeof sources },
  days: Days,
): AsyncGenerator<AnyLine> {
  const accounts = (await listAccounts(deps.db)).filter(
    (account) => account.partner_id !== null && account.environment === environment,
  );
  const lines = accounts.map((account): AsyncGenerator<AnyLine> => sources[report](deps, account, days, reveal));
  yield* merged(lines);
}

async function* rowsOf({ report }: AskedReport, lines: AsyncGenerator<AnyLine>): AsyncGenerator<ReportRow> {
  const { columns } = reportRow(report);
  for await (const { account_id, patient_key, cells } of lines) {
    yield { account_id, patient_key, cells: columns.map(([name]) => cells[name]!) };
  }
}
