import { type DispensedRow, listDispensed } from "../../../db/fulfillment/reports/dispensed.ts";
import { dashedNdc } from "../../../domain/fulfillment/documents.ts";
import { fillNumbers } from "../../../domain/fulfillment/fill-numbers.ts";
import { initials } from "../../../domain/patients/masked-patient.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import { openWritten } from "../../intake/written.ts";
import { openRecord } from "../../patients/patient-rows.ts";
import { localTime, paged, type ReportSource, ROWS_AT_ONCE } from "./report-source.ts";

/** Each prescription that shipped. */
export const dispensingLines: ReportSource<"dispensing"> = async function* (deps, { account_id, name }, days, reveal) {
  const rows = paged((last: DispensedRow | null) => {
    const after = last === null ? { at: days.from, dispense_id: -1 } : { ...last, at: last.shipped_at };
    return listDispensed(deps.db, account_id, after, days.before, ROWS_AT_ONCE);
  });
  for await (const sealed of rows) {
    const [row, patient] = await withKeysOfNow(deps, async () => [
      openWritten(deps.vault, account_id, sealed),
      openRecord(deps, account_id, sealed.patient_key, sealed.record_sealed),
    ]);
    yield {
      at: row.shipped_at,
      account_id,
      patient_key: row.patient_key,
      cells: {
        shipped_at: localTime(deps, row.shipped_at),
        partner: name ?? "",
        order_number: row.order_number,
        prescription_id: String(row.prescription_id),
        fill: fillText(row),
        patient: reveal ? `${patient.first_name} ${patient.last_name}` : initials(patient),
        drug: row.drug_name,
        schedule: row.drug_schedule === "0" ? "" : row.drug_schedule,
        ndc: dashedNdc(row.ndc),
        units: String(row.units),
        lot: row.lots ?? "",
        ship_state: row.ship_state ?? "",
        prescriber: row.prescriber_name ?? "",
        filled_by: row.filled_by ?? "",
        checked_by: row.checked_by ?? "",
      },
    };
  }
};

/** `new`, `refill 2`, or a part of one. */
function fillText({ written_qty, refills, dispensed }: Pick<DispensedRow, "written_qty" | "refills" | "dispensed">) {
  const { refill_number, partial } = fillNumbers(written_qty, refills, dispensed).at(-1)!;
  const fill = refill_number === 0 ? "new" : `refill ${refill_number}`;
  return partial === 0 ? fill : `${fill}, part ${partial}`;
}
