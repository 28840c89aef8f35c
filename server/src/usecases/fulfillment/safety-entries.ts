import { SAFETY_TEXT_CHARACTERS, type SafetyKind } from "@pestle/contract";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { isLicensedPharmacist } from "../../domain/accounts/license.ts";
import { type SafetyRecord, withoutEntry, withTexts } from "../../domain/patients/safety-record.ts";
import { fieldKinds } from "../../domain/values/field-kinds.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import { checkedNote } from "../operations/checked-note.ts";
import { loadStoredOrder } from "../orders/read-orders.ts";
import { recheckPatient } from "../orders/recheck-orders.ts";
import { changePatient } from "../patients/change-patient.ts";
import { write } from "../write.ts";
import { actorOf, roleRefusal, type Work } from "./steps.ts";
import { WorkRefusal } from "./work-refusal.ts";

/** Staff record an allergy, medication or condition of an order's patient, with the pharmacy as its source. */
export const addSafetyEntry = (deps: Deps, work: Work, kind: SafetyKind, text: string): Promise<unknown> =>
  changeSafety(deps, work, "safety_entry_added", {
    prepare: () => fieldKinds.trimmed_line(text, SAFETY_TEXT_CHARACTERS) ?? refuse(WRITE_ONE_LINE),
    change: (safety, checked, now) => {
      const added = withTexts(safety, kind, [checked], { source: "pharmacy", at: now });
      return added.fits ? added.safety : refuse(NO_ROOM);
    },
  });

/** A licensed pharmacist removes an entry of any source. The record keeps it with the reason. */
export const removeSafetyEntry = (deps: Deps, work: Work, entry_id: number, reason: string): Promise<unknown> =>
  changeSafety(deps, work, "safety_entry_removed", {
    prepare: () => {
      if (!isLicensedPharmacist(work.by)) throw new WorkRefusal(roleRefusal(work.by));
      return checkedNote(reason);
    },
    change: (safety, checked, now) =>
      withoutEntry(safety, entry_id, { at: now.toISOString(), by: "pharmacy", reason: checked }) ?? refuse(NO_ENTRY),
  });

const WRITE_ONE_LINE = `Write 1 to ${SAFETY_TEXT_CHARACTERS} characters on one line.`;
const NO_ROOM = "The patient has the maximum number of entries of this kind. Add a note to the order instead.";
const NO_ENTRY = "The patient has no such entry. Reload the order.";

const refuse = (message: string): never => {
  throw new AdminRefusal(message);
};

type Change = {
  prepare: () => string;
  change: (safety: SafetyRecord, checked: string, now: Date) => SafetyRecord;
};

/** Always audited, also from the command line: these facts decide what the pharmacy dispenses. */
const changeSafety = (
  deps: Deps,
  { account_id, order_number, by, request_id }: Work,
  action: "safety_entry_added" | "safety_entry_removed",
  { prepare, change }: Change,
): Promise<unknown> =>
  write(deps, {
    prepare,
    attempt: async (tx, checked) => {
      const found = await loadStoredOrder(deps, account_id, order_number, tx);
      if (found === undefined) throw new StatusRefusal(404);
      const { patient_id } = found.order;
      const { recheck_due, patient_key } = await changePatient(
        deps,
        tx,
        { account_id, patient_id },
        deps.now(),
        (record, { now }) => ({
          record: { ...record, patient_safety: change(record.patient_safety, checked, now) },
        }),
      );
      const { person_id, role, address = null } = by;
      await insertAudit(tx, {
        at: deps.now(),
        person_id,
        role,
        address,
        patient_keys: [patient_key],
        field_groups: ["safety"],
        account_id,
        action,
        subject: order_number,
        request_id: request_id ?? null,
      });
      return { patient_key, recheck_due };
    },
    // The patient's open orders are held before the person sees the result.
    settle: (done) =>
      done.recheck_due ? recheckPatient(deps, account_id, done.patient_key, actorOf(by)).then(() => done) : undefined,
  });
