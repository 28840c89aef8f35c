import { orderPlace } from "../../db/orders/orders.ts";
import {
  deletePersonDue,
  listOrdersOfPerson,
  listPersonDue,
  listWithoutKeys,
  requeuePersonDue,
  savePersonKeys,
  saveQuietly,
} from "../../db/safety/person-links.ts";
import { bytes } from "../../db/values.ts";
import type { Deps } from "../../deps.ts";
import { isOpen, system } from "../../domain/orders/order.ts";
import { decideChange } from "../../domain/orders/order-change.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { apart } from "../operations/apart.ts";
import { loadChangingOrder } from "../orders/load-order.ts";
import { changeOrder } from "../orders/save-change.ts";
import { openRecord, personIndexes } from "../patients/patient-rows.ts";
import { write } from "../write.ts";

const MOST_PATIENTS = 200;
const MOST_KEYS = 500;
/** More open orders than a person has. Beyond that, the pharmacy's steps still check each order. */
const MOST_ORDERS = 500;

/**
 * Checks the open orders of people that several partners know, at all of these partners, after an order of such a person
 * opened or shipped or the person's record changed. No partner's request does this, because its answer would tell one
 * partner about another.
 */
export async function checkPeople(deps: Deps): Promise<void> {
  await addMissingKeys(deps);
  if ("unfit" in deps.safety.current()) return;
  const due = await listPersonDue(deps.db, MOST_PATIENTS);
  if (due.length === 0) return;
  const patients = new Map(due.map((one) => [`${one.account_id} ${one.patient_id}`, one]));
  const failed = new Set<string>();
  for (const [patient, { account_id, patient_id }] of patients) {
    for (const order of await listOrdersOfPerson(deps.db, account_id, patient_id, MOST_ORDERS)) {
      if ((await apart(deps, order, () => checkElsewhere(deps, order))) === undefined) failed.add(patient);
    }
  }
  const ids = (wanted: boolean) =>
    due
      .filter((one) => failed.has(`${one.account_id} ${one.patient_id}`) === wanted)
      .map(({ person_due_id }) => person_due_id);
  await deletePersonDue(deps.db, ids(false));
  if (failed.size > 0) await requeuePersonDue(deps.db, ids(true));
}

/** Checks an open order on the facts of all partners. Saves only a difference. */
const checkElsewhere = (
  deps: Deps,
  { account_id, order_number }: { account_id: string; order_number: string },
): Promise<boolean> =>
  write(deps, {
    transaction: "on_retry",
    attempt: async (db) => {
      const loaded = await loadChangingOrder(deps, db, account_id, order_number, "elsewhere");
      const { standing, found, rules, revision } = loaded;
      if (!isOpen(standing)) return true;
      const { open, findings } = decideChange(loaded, {}, rules);
      if (open.map(({ id }) => id).join() !== standing.open.join()) {
        await changeOrder(deps, db, loaded, {}, { actor: system });
      } else if (JSON.stringify(findings) !== JSON.stringify(found)) {
        const place = orderPlace("safety_sealed", account_id, order_number);
        const sealed = bytes(deps.vault.seal(Buffer.from(JSON.stringify(findings)), place));
        await saveQuietly(db, account_id, order_number, revision, findings.length === 0 ? null : sealed);
      }
      return true;
    },
  });

/** Adds the keys of patients from before they existed, some at a time. */
async function addMissingKeys(deps: Deps): Promise<void> {
  for (const { account_id, patient_id, revision, record_sealed } of await listWithoutKeys(deps.db, MOST_KEYS)) {
    await apart(deps, { account_id, patient_id }, async () => {
      const record = await withKeysOfNow(deps, async () => openRecord(deps, account_id, patient_id, record_sealed));
      await savePersonKeys(deps.db, account_id, patient_id, revision, personIndexes(deps, record));
    });
  }
}
