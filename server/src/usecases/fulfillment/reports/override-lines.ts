import { exceptionRow, type OverrideCode, overrideReasons, type TransitionEvent } from "@pestle/contract";
import { listReasons, type ReasonRow } from "../../../db/fulfillment/reports/reasons.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import { type OrderNote, openNote } from "../claim-order.ts";
import { type Days, localTime, paged, type ReportDeps, type ReportSource, ROWS_AT_ONCE } from "./report-source.ts";

/** Each exception that a pharmacist overrode. */
export const overrideLines: ReportSource<"overrides"> = async function* (deps, { account_id, name }, days) {
  for await (const { row, note } of notedSteps(deps, account_id, "resolve", days)) {
    // Another exception can end with the same step, because the checks run again. The note overrides only its own.
    if (row.exception_id === null || !note.overridden.includes(row.exception_id)) continue;
    yield {
      at: row.at,
      account_id,
      patient_key: row.patient_key,
      cells: {
        at: localTime(deps, row.at),
        partner: name ?? "",
        order_number: row.order_number,
        exception: `${row.exception_id} ${exceptionRow(row.exception_id).name}`,
        code: note.code === null ? "" : codeText(note.code),
        text: note.reason,
        pharmacist: row.who ?? "",
        license_number: note.license_number ?? "",
        signature: note.signature_holds ? "intact" : "broken",
      },
    };
  }
};

const codeText = (code: OverrideCode): string => overrideReasons[code] ?? code;

/** The steps of one kind that people took with a note, with the note opened. */
export async function* notedSteps(
  deps: ReportDeps,
  account_id: string,
  event: TransitionEvent,
  days: Days,
): AsyncGenerator<{ row: ReasonRow; note: OrderNote }> {
  const rows = paged((last: ReasonRow | null) =>
    listReasons(
      deps.db,
      account_id,
      event,
      last ?? { at: days.from, order_number: "", history_position: 0 },
      days.before,
      ROWS_AT_ONCE,
    ),
  );
  for await (const row of rows) {
    const { order_number, note_at, ...rest } = row;
    const note = await withKeysOfNow(deps, async () =>
      openNote(deps, account_id, order_number, { ...rest, at: note_at }),
    );
    yield { row, note };
  }
}
