import type { ErrorEntry } from "@pestle/contract";
import { isConflict } from "../../db/conflict.ts";
import type { Queryable } from "../../db/db.ts";
import {
  closeRefusals,
  type DuePrescription,
  listDueAccounts,
  listDuePrescriptions,
  noteOrderErrors,
} from "../../db/intake/due-prescriptions.ts";
import type { Deps } from "../../deps.ts";
import { automaticOrder } from "../../domain/orders/automatic-order.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { errorEntries } from "../../domain/values/error-entries.ts";
import { Conflict, RequestProblems } from "../../domain/values/refusals.ts";
import { tellsOrderErrors } from "../../domain/webhooks/rx-status-changed.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";
import { apart } from "../operations/apart.ts";
import { placeOrder } from "../orders/place-order.ts";
import { prepareOrder } from "../orders/prepare-order.ts";
import { verifyShipTo } from "../orders/verify-ship-to.ts";
import { openPatientId } from "../patients/patient-rows.ts";
import { attachPrescription } from "./attach-prescription.ts";
import { statusEvent } from "./status-event.ts";
import { readPrescription } from "./written.ts";

const MOST_AT_ONCE = 100;
/** Retries a refused prescription after this long, because the cause may be gone. */
const TRIED_AGAIN_AFTER_MS = 60_000;

/**
 * Automatic Processing: turns every due prescription into an order with a shipping method that its product allows and the
 * account's default brand. If the order would be refused, the prescription shows the error codes, a review entry is added, and the job
 * retries until the cause is gone. With `account_id`, handles that account only. Returns the number of new orders.
 */
export async function fillDue(deps: Deps, account_id: string | null = null): Promise<number> {
  let made = 0;
  for (const account of await listDueAccounts(deps.db, account_id, deps.serves ?? null)) {
    const now = accountNow(deps.now(), account.clock_offset_s);
    for (const due of await listDuePrescriptions(deps.db, account.account_id, now, MOST_AT_ONCE)) {
      const about = { account_id: account.account_id, prescription_id: due.prescription_id };
      if (await apart(deps, about, () => fill(deps, { ...account, actor: "system" }, due))) made += 1;
    }
  }
  return made;
}

type Refusal = { key: { account_id: string; prescription_id: number }; order_errors: ErrorEntry[]; now: Date };

/** Stores why a new prescription has no order. RX_RECEIVED shows it too. The job tries it again later. */
export const noteRefusal = (db: Queryable, { key, order_errors, now }: Refusal): Promise<unknown> =>
  noteOrderErrors(db, { ...key, order_errors, now, again_at: againAt(now), known_errors: [], event: null });

const againAt = (now: Date) => new Date(now.getTime() + TRIED_AGAIN_AFTER_MS);

/** The same for a prescription that was tried later. An event tells the partner what it does not know yet. */
const tellRefusal = (deps: Deps, { key, order_errors, now }: Refusal): Promise<unknown> =>
  withKeysOfNow(deps, async () => {
    const { account_id, prescription_id } = key;
    const fact = await readPrescription(deps, account_id, prescription_id);
    if (fact === undefined) return;
    const account = { account_id, workflow: "automatic", now } as const;
    const event = tellsOrderErrors(fact.order_errors, order_errors)
      ? await statusEvent(deps, deps.db, "order_failed", { ...fact, order_errors }, account)
      : null;
    const known_errors = fact.order_errors;
    await noteOrderErrors(deps.db, { ...key, order_errors, now, again_at: againAt(now), known_errors, event });
  });

async function fill(deps: Deps, orderer: Parameters<typeof prepareOrder>[1], due: DuePrescription): Promise<boolean> {
  const now = deps.now();
  const patient_id = await withKeysOfNow(deps, async () => openPatientId(deps, orderer.account_id, due));
  const { formulary } = await readCatalogue(deps, orderer.account_id);
  const body = automaticOrder(due, patient_id, formulary);
  try {
    const attached = await attachPrescription(deps, orderer.account_id, due.prescription_id);
    if (!attached) {
      const prepared = await prepareOrder(deps, orderer, body, () => JSON.stringify(body), now);
      const placed = await withKeysOfNow(deps, () => placeOrder(deps, deps.db, prepared, now));
      if (placed.address_due === "verify") await verifyShipTo(deps, orderer.account_id, placed.order.order_number);
    }
    if (due.refused)
      await closeRefusals(deps.db, orderer.account_id, due.prescription_id, accountNow(now, orderer.clock_offset_s));
    return !attached;
  } catch (error) {
    // Another process is ordering the same prescription; the next round starts from the new state.
    if (isConflict(error) || error instanceof Conflict) return false;
    if (!(error instanceof RequestProblems)) throw error;
    const order_errors = errorEntries(error.problems);
    const key = { account_id: orderer.account_id, prescription_id: due.prescription_id };
    await tellRefusal(deps, { key, order_errors, now: accountNow(now, orderer.clock_offset_s) });
    return false;
  }
}
