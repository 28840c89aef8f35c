import { listWithoutNames, saveNameIndexes } from "../../db/patients/name-indexes.ts";
import type { Deps } from "../../deps.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { type DamagedPatients, damagedPatients } from "./damaged-patients.ts";
import { nameIndexes, openRecord } from "./patient-rows.ts";

const MOST_PATIENTS = 500;

/**
 * Lets staff find patients from before these indexes existed by last name and date of birth, some patients at a time
 * (ADR 0068). An earlier version that runs beside this one adds such patients too.
 */
export async function addMissingNames(deps: Deps, damaged: DamagedPatients = damagedPatients()): Promise<void> {
  const now = deps.now();
  const without = await damaged.others(now, MOST_PATIENTS, (most) =>
    listWithoutNames(deps.db, most, deps.serves ?? null),
  );
  const rows = [];
  for (const { account_id, patient_key, record_sealed } of without) {
    const indexes = await apart(deps, { account_id, patient_key }, () =>
      withKeysOfNow(deps, async () =>
        nameIndexes(deps, account_id, openRecord(deps, account_id, patient_key, record_sealed)),
      ),
    );
    if (indexes === undefined) damaged.add({ account_id, patient_key }, now);
    else rows.push({ account_id, patient_key, ...indexes });
  }
  if (rows.length > 0) await saveNameIndexes(deps.db, rows);
}
