import { patientIndex } from "../../src/usecases/patients/patient-rows.ts";
import type { TestApp } from "./test-app.ts";

/** The surrogate key of a patient, by the partner's id. */
export async function patientKeyOf(
  app: Pick<TestApp, "deps">,
  account_id: string,
  patient_id: string,
): Promise<number> {
  const { rows } = await app.deps.db.raw("select patient_key from patient where account_id = $1 and id_index = $2", [
    account_id,
    patientIndex(app.deps, account_id, patient_id),
  ]);
  return Number(rows[0]?.["patient_key"]);
}
