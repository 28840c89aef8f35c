import type { RevealedOrder } from "@pestle/contract";
import { loadPatient } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import { patientAnswer } from "../../domain/patients/patient-record.ts";
import { removedEntries } from "../../domain/patients/safety-record.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { loadChangingOrder } from "../orders/load-order.ts";
import { suggestionFor } from "../orders/suggest-address.ts";
import { patientIndex } from "../patients/patient-rows.ts";

/** An order's patient and address in full. The audit entry is written before the data is returned. */
export async function revealOrder(
  deps: Deps,
  by: Looker,
  account_id: string,
  order_number: string,
  request_id: string,
): Promise<RevealedOrder> {
  const { order, record, environment } = await withKeysOfNow(deps, () =>
    loadChangingOrder(deps, deps.db, account_id, order_number),
  );
  const row = (await loadPatient(deps.db, account_id, patientIndex(deps, account_id, order.patient_id)))!;
  const { address } = order;
  await writeAudit(deps, by, { account_id, action: "order_revealed", subject: order_number }, request_id);
  return {
    patient: patientAnswer(order.patient_id, record, row),
    weight_kg: record.weight_kg ?? null,
    removed_entries: removedEntries(record.patient_safety),
    address,
    suggestion: address && (await suggestionFor(deps, environment, address)),
  };
}
