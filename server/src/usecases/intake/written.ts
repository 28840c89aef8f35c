import type { Queryable } from "../../db/db.ts";
import { loadPrescriptionFact } from "../../db/intake/prescriptions.ts";
import { writtenPlace } from "../../db/patients/patients.ts";
import type { Prescription } from "../../domain/intake/prescription.ts";
import type { PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { type Vault, withKeysOfNow } from "../../vault/vault.ts";
import { openPatientId } from "../patients/patient-rows.ts";

/** What the prescriber wrote and who it is: sealed, because no statement decides by it. */
export const writtenFields = [
  "sig_text",
  "prescriber_name",
  "prescriber_phone",
  "prescriber_fax",
  "prescriber_npi",
  "prescriber_dea",
] as const;
type Written = Pick<Prescription, (typeof writtenFields)[number]>;
type Key = { account_id: string; prescription_id: number };

export const sealWritten = (vault: Vault, { account_id, prescription_id }: Key, written: Written): Buffer =>
  vault.seal(
    Buffer.from(JSON.stringify(Object.fromEntries(writtenFields.map((name) => [name, written[name]])))),
    writtenPlace(account_id, prescription_id),
  );

type SealedRow = { prescription_id: number; written_sealed: Buffer | string | null };

/** What the prescriber wrote, opened; null for a row of an earlier version, which has it in clear. */
export function writtenOf(
  vault: Vault,
  account_id: string,
  { prescription_id, written_sealed }: SealedRow,
): Written | null {
  if (written_sealed === null) return null;
  const sealed = typeof written_sealed === "string" ? Buffer.from(written_sealed, "base64") : written_sealed;
  return JSON.parse(vault.open(sealed, writtenPlace(account_id, prescription_id)).toString("utf8")) as Written;
}

/** The row with what the prescriber wrote, opened. */
export function openWritten<Row extends SealedRow>(
  vault: Vault,
  account_id: string,
  row: Row,
): Omit<Row, "written_sealed"> & Written {
  const { written_sealed: _, ...open } = row;
  return { ...open, ...writtenOf(vault, account_id, row) } as Omit<Row, "written_sealed"> & Written;
}

/** A prescription as an order uses it; undefined if the account has none with this id. */
export const readPrescription = (
  deps: { db: Queryable; vault: Vault },
  account_id: string,
  prescription_id: number,
): Promise<PrescriptionFact | undefined> =>
  withKeysOfNow(deps, async () => {
    const row = await loadPrescriptionFact(deps.db, account_id, prescription_id);
    return row && { ...openWritten(deps.vault, account_id, row), patient_id: openPatientId(deps, account_id, row) };
  });
