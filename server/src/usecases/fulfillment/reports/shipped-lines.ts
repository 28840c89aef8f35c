import { initials } from "../../../domain/patients/masked-patient.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";
import { openRecord } from "../../patients/patient-rows.ts";
import { type Account, localTime, paged, type ReportDeps } from "./report-source.ts";

/** A shipped prescription, with the patient still sealed. */
type ShippedRow = {
  shipped_at: Date;
  order_number: string;
  prescription_id: number;
  patient_key: number;
  record_sealed: Buffer;
  drug_name: string;
  ship_state: string | null;
};

/**
 * A line for each shipped prescription of an account: the cells that such reports share, and the report's own. The patient is
 * a name, or initials where names stay hidden. `own` can open what is sealed.
 */
export async function* shippedLines<Row extends ShippedRow, Own>(
  deps: ReportDeps,
  { account_id, name }: Account,
  reveal: boolean,
  read: (after: Row | null) => Promise<Row[]>,
  own: (row: Row) => Own,
) {
  for await (const row of paged(read)) {
    yield await withKeysOfNow(deps, async () => {
      const patient = openRecord(deps, account_id, row.patient_key, row.record_sealed);
      return {
        at: row.shipped_at,
        account_id,
        patient_key: row.patient_key,
        cells: {
          shipped_at: localTime(deps, row.shipped_at),
          partner: name ?? "",
          order_number: row.order_number,
          prescription_id: String(row.prescription_id),
          patient: reveal ? `${patient.first_name} ${patient.last_name}` : initials(patient),
          drug: row.drug_name,
          ship_state: row.ship_state ?? "",
          ...own(row),
        },
      };
    });
  }
}
