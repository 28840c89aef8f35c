import { type DispensedRow, listDispensed } from "../../../db/fulfillment/reports/dispensed.ts";
import { dashedNdc } from "../../../domain/fulfillment/documents.ts";
import { fillNumbers } from "../../../domain/fulfillment/fill-numbers.ts";
import { openWritten } from "../../intake/written.ts";
import { type ReportSource, ROWS_AT_ONCE } from "./report-source.ts";
import { shippedLines } from "./shipped-lines.ts";

/** Each prescription that shipped. */
export const dispensingLines: ReportSource<"dispensing"> = (deps, account, days, reveal) =>
  shippedLines(
    deps,
    account,
    reveal,
    (last: DispensedRow | null) => {
      const after = last === null ? { at: days.from, dispense_id: -1 } : { ...last, at: last.shipped_at };
      return listDispensed(deps.db, account.account_id, after, days.before, ROWS_AT_ONCE);
    },
    (sealed) => {
      const row = openWritten(deps.vault, account.account_id, sealed);
      return {
        fill: fillText(row),
        schedule: row.drug_schedule === "0" ? "" : row.drug_schedule,
        ndc: dashedNdc(row.ndc),
        units: String(row.units),
        lot: row.lots ?? "",
        prescriber: row.prescriber_name ?? "",
        filled_by: row.filled_by ?? "",
        checked_by: row.checked_by ?? "",
      };
    },
  );

/** `new`, `refill 2`, or a part of one. */
function fillText({ written_qty, refills, dispensed }: Pick<DispensedRow, "written_qty" | "refills" | "dispensed">) {
  const { refill_number, partial } = fillNumbers(written_qty, refills, dispensed).at(-1)!;
  const fill = refill_number === 0 ? "new" : `refill ${refill_number}`;
  return partial === 0 ? fill : `${fill}, part ${partial}`;
}
