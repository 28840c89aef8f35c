import {
  type DashboardReport,
  MOST_PDF_ROWS,
  reportRow,
  SHOWN_REPORT_ROWS,
  spreadsheetText,
  writeCsv,
} from "@pestle/contract";
import type { Deps } from "../../../deps.ts";
import { pharmacyFacts } from "../../../domain/fulfillment/documents.ts";
import { dateIn } from "../../../domain/values/calendar.ts";
import { AdminRefusal } from "../../accounts/admin-refusal.ts";
import { auditReport, auditRows, type Reader } from "./audit-report.ts";
import { type AskedReport, localTime, type ReportDeps } from "./report-source.ts";
import { type ReportRow, walkReport } from "./walk-report.ts";

/** Rows that share an audit entry, and leave together. */
const ROWS_PER_ENTRY = 200;

/** The report as the text of a CSV file, piece by piece. The audit entries of each piece are written first. */
export async function* reportCsv(deps: ReportDeps, by: Reader, asked: AskedReport): AsyncGenerator<string> {
  const rows = walkReport(deps, asked);
  await auditReport(deps, by, "report_exported", asked);
  yield writeCsv([reportRow(asked.report).columns.map(([name]) => name)]);
  for await (const some of inPieces(rows, ROWS_PER_ENTRY)) {
    await auditRows(deps, by, "report_exported", asked, some);
    yield writeCsv(some.map(({ cells }) => cells.map(spreadsheetText)));
  }
}

/** The report as a PDF. It refuses more rows than anyone reads on paper. */
export async function reportPdf(
  deps: ReportDeps & Pick<Deps, "documents">,
  by: Reader,
  asked: AskedReport,
): Promise<Buffer> {
  const { title, columns } = reportRow(asked.report);
  const rows: ReportRow[] = [];
  const walk = walkReport(deps, asked);
  await auditReport(deps, by, "report_exported", asked);
  for await (const some of inPieces(walk, ROWS_PER_ENTRY)) {
    if (rows.push(...some) > MOST_PDF_ROWS) {
      const most = MOST_PDF_ROWS.toLocaleString("en-US");
      throw new AdminRefusal(`A PDF has at most ${most} rows. Choose fewer days, or a CSV file.`);
    }
    await auditRows(deps, by, "report_exported", asked, some);
  }
  return deps.documents.report(pharmacyFacts(deps.config), {
    title,
    from: asked.from,
    to: asked.to,
    made_at: localTime(deps, deps.now()),
    date: dateIn(deps.config.TIME_ZONE, deps.now()),
    sandbox: asked.environment === "sandbox",
    columns: columns.map(([, heading, width]) => ({ title: heading, width })),
    rows: rows.map(({ cells }) => cells),
  });
}

/** The first rows, for the screen. */
export async function readReport(deps: ReportDeps, by: Reader, asked: AskedReport): Promise<DashboardReport> {
  const walk = walkReport(deps, asked);
  await auditReport(deps, by, "report_viewed", asked);
  const rows: ReportRow[] = [];
  for await (const row of walk) if (rows.push(row) > SHOWN_REPORT_ROWS) break;
  const shown = rows.slice(0, SHOWN_REPORT_ROWS);
  await auditRows(deps, by, "report_viewed", asked, shown);
  return {
    rows: shown.map(({ account_id, cells }) => ({ account_id, cells })),
    more: rows.length > SHOWN_REPORT_ROWS,
  };
}

async function* inPieces<Row>(rows: AsyncGenerator<Row>, most: number): AsyncGenerator<Row[]> {
  let piece: Row[] = [];
  for await (const row of rows) {
    piece.push(row);
    if (piece.length < most) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}
