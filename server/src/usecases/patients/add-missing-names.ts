import { listWithoutNames, saveNameIndexes } from "../../db/patients/name-indexes.ts";
import type { Deps } from "../../deps.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { nameIndexes, openRecord } from "./patient-rows.ts";

const MOST_PATIENTS = 500;

/**
 * Lets staff find patients from before these indexes existed by last name and date of birth, some patients at a time
 * (ADR 0068). An earlier version that runs beside this one adds such patients too.
 */
export async function addMissingNames(deps: Deps): Promise<void> {
  const without = await listWithoutNames(deps.db, MOST_PATIENTS, deps.serves ?? null);
  const rows = [];
  for (const { account_id, patient_key, record_sealed } of without) {
    const indexes = await apart(deps, { account_id, patient_key }, () =>
      withKeysOfNow(deps, async () =>
        nameIndexes(deps, account_id, openRecord(deps, account_id, patient_key, record_sealed)),
      ),
    );
    if (indexes !== undefined) rows.push({ account_id, patient_key, ...indexes });
  }
  if (rows.length > 0) await saveNameIndexes(deps.db, rows);
}
