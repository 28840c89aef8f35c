import {
  deletePersonDue,
  isShared,
  linkPatient,
  listOrdersOfPerson,
  listPersonDue,
  listWithoutKeys,
  requeuePersonDue,
  savePersonKeys,
} from "../../db/safety/person-links.ts";
import type { Deps } from "../../deps.ts";
import { system } from "../../domain/orders/order.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { recheckOrder } from "../orders/recheck-orders.ts";
import { type DamagedPatients, damagedPatients } from "../patients/damaged-patients.ts";
import { openRecord, personIndexes } from "../patients/patient-rows.ts";

const MOST_PATIENTS = 200;
const MOST_KEYS = 500;
/** More open orders than a person has. Beyond that, the pharmacy's steps still check each order. */
const MOST_ORDERS = 500;

/**
 * Checks the open orders of people that several partners know, at all of these partners, after an order of such a person
 * opened or shipped or the person's record changed. No partner's request does this, because its answer would tell one
 * partner about another.
 */
export async function checkPeople(deps: Deps, damaged: DamagedPatients = damagedPatients()): Promise<void> {
  await addMissingKeys(deps, damaged);
  if ("unfit" in deps.safety.current()) return;
  const due = await listPersonDue(deps.db, MOST_PATIENTS, deps.serves ?? null);
  if (due.length === 0) return;
  const patients = new Map(due.map((one) => [`${one.account_id} ${one.patient_key}`, one]));
  const failed = new Set<string>();
  for (const [patient, { account_id, patient_key, is_spread }] of patients) {
    if (is_spread) {
      await linkPatient(deps.db, account_id, patient_key);
      // There, every patient whose keys changed is due.
      if (!(await isShared(deps.db, account_id, patient_key))) continue;
    }
    for (const order of await listOrdersOfPerson(deps.db, account_id, patient_key, MOST_ORDERS)) {
      const checked = await apart(deps, order, async () => {
        await recheckOrder(deps, order.account_id, order.order_number, system, "elsewhere");
        return true;
      });
      if (checked === undefined) failed.add(patient);
    }
  }
  const whose = (wanted: boolean) => due.filter((one) => failed.has(`${one.account_id} ${one.patient_key}`) === wanted);
  await deletePersonDue(deps.db, whose(false));
  if (failed.size > 0) await requeuePersonDue(deps.db, whose(true));
}

/** Adds the keys of patients from before they existed, some at a time. */
async function addMissingKeys(deps: Deps, damaged: DamagedPatients): Promise<void> {
  const now = deps.now();
  const without = await damaged.others(now, MOST_KEYS, (most) => listWithoutKeys(deps.db, most, deps.serves ?? null));
  for (const { account_id, patient_key, revision, record_sealed } of without) {
    const added = await apart(deps, { account_id, patient_key }, async () => {
      const record = await withKeysOfNow(deps, async () => openRecord(deps, account_id, patient_key, record_sealed));
      await savePersonKeys(deps.db, account_id, patient_key, revision, personIndexes(deps, record));
      return true;
    });
    if (added === undefined) damaged.add({ account_id, patient_key }, now);
  }
}
