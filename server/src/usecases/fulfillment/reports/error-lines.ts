import { orderStatusReasons, productMisses } from "@pestle/contract";
import { listMisses, listRefunds, type MissRow, type RefundRow } from "../../../db/fulfillment/reports/reasons.ts";
import { merged } from "./merged.ts";
import { notedSteps } from "./override-lines.ts";
import {
  type Account,
  type Days,
  localTime,
  paged,
  type ReportDeps,
  type ReportLine,
  type ReportSource,
  ROWS_AT_ONCE,
} from "./report-source.ts";

/** The refunds for an error that reached the patient. */
const ERRORS: readonly string[] = ["Wrong Item", "Pharmacy Error"];
const errorReasons = orderStatusReasons.filter(({ name }) => ERRORS.includes(name));

/** Packages that a scan stopped, orders that were sent back to fill, and refunds for an error. */
export const errorLines: ReportSource<"errors"> = (deps, account, days) =>
  merged([missLines(deps, account, days), sentBackLines(deps, account, days), refundLines(deps, account, days)]);

type Line = ReportLine<"errors">;
type Told = { at: Date; order_number: string; patient_key: number };

const lineOf = (
  deps: ReportDeps,
  { account_id, name }: Account,
  { at, order_number, patient_key }: Told,
  told: Pick<Line["cells"], "kind" | "what" | "reason" | "who">,
): Line => ({
  ...{ at, account_id, patient_key },
  cells: { at: localTime(deps, at), partner: name ?? "", order_number, ...told },
});

const STAGES: Readonly<Record<string, string>> = { fill: "At fill", product_check: "At product check" };

async function* missLines(deps: ReportDeps, account: Account, days: Days): AsyncGenerator<Line> {
  const rows = paged((last: MissRow | null) =>
    listMisses(deps.db, account.account_id, last ?? { at: days.from, miss_id: 0 }, days.before, ROWS_AT_ONCE),
  );
  for await (const row of rows) {
    const what = productMisses[row.found] ?? row.found;
    yield lineOf(deps, account, row, { kind: "near miss", what, reason: STAGES[row.stage] ?? row.stage, who: row.who });
  }
}

async function* sentBackLines(deps: ReportDeps, account: Account, days: Days): AsyncGenerator<Line> {
  for await (const { row, note } of notedSteps(deps, account.account_id, "reject_product", days)) {
    const what = "The pharmacist sent the order back to fill.";
    yield lineOf(deps, account, row, { kind: "sent back", what, reason: note.reason, who: row.who ?? "" });
  }
}

async function* refundLines(deps: ReportDeps, account: Account, days: Days): AsyncGenerator<Line> {
  const start = { at: days.from, source_id: "00000000-0000-0000-0000-000000000000", line_no: 0 };
  const ids = errorReasons.map(({ id }) => id);
  const rows = paged((last: RefundRow | null) =>
    listRefunds(deps.db, account.account_id, last ?? start, days.before, ids, ROWS_AT_ONCE),
  );
  for await (const row of rows) {
    const reason = errorReasons.find(({ id }) => id === row.reason_id)?.name ?? "";
    yield lineOf(deps, account, row, { kind: "error", what: "The order was refunded.", reason, who: "" });
  }
}
