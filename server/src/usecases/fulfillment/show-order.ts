import { findPersonById } from "../../db/accounts/people.ts";
import { listWork } from "../../db/fulfillment/order-work.ts";
import type { Deps } from "../../deps.ts";
import { isOpen } from "../../domain/orders/order.ts";
import { exceptionAnswer } from "../../domain/orders/order-answer.ts";
import { decideChange } from "../../domain/orders/order-change.ts";
import { removedEntries, safetyAnswer, safetyStatuses } from "../../domain/patients/safety-record.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { loadChangingOrder } from "../orders/load-order.ts";
import { readNotes } from "./claim-order.ts";
import { shownLot } from "./lots/fill-lots.ts";
import type { Work } from "./steps.ts";

/**
 * An order as staff see it at the command line. Patient and address appear only with `reveal`, and the log records who
 * asked.
 */
export async function showOrder(deps: Deps, { account_id, order_number, by }: Work, reveal: boolean) {
  if (reveal) deps.log.info({ account_id, order_number, person_id: by.person_id }, "revealed a patient");
  const loaded = await withKeysOfNow(deps, () =>
    loadChangingOrder(deps, deps.db, account_id, order_number, "elsewhere"),
  );
  const { order, standing, details, prescriptions, record, row, rules, revision } = loaded;
  const claimed = row.claimed_by !== null && row.claimed_until! > deps.now();
  // Run the checks now; after shipping they no longer apply.
  const findings = isOpen(standing) ? decideChange(loaded, {}, rules).findings : [];
  return {
    order_number,
    state: standing.state,
    before_the_hold: standing.held_from,
    revision,
    created_at: order.created_at,
    updated_at: order.updated_at,
    workflow: order.workflow,
    reference: order.reference,
    patient_id: order.patient_id,
    safety_status: safetyStatuses(record.patient_safety),
    ...(reveal && {
      patient: { first_name: record.first_name, last_name: record.last_name, dob: record.dob },
      patient_safety: safetyAnswer(record.patient_safety),
      removed_entries: removedEntries(record.patient_safety),
      address: order.address,
    }),
    claimed_by: claimed ? ((await findPersonById(deps.db, row.claimed_by!))?.email ?? row.claimed_by) : null,
    claimed_until: claimed ? row.claimed_until : null,
    exceptions: order.exceptions.map((exception) => exceptionAnswer(order, exception)),
    findings,
    items: order.items.map(({ item_id, prescription_id, sku, ndc, quantity, package_size }) => {
      const { lot, lot_expires_on, lots, reserved } = details.find((one) => one.item_id === item_id)!;
      const written = prescriptions.find((one) => one.prescription_id === prescription_id);
      return {
        item_id,
        sku,
        ndc,
        quantity,
        package_size,
        lot,
        lot_expires_on,
        lots: lots.map(shownLot),
        reserved,
        prescription_id,
        sig_text: written?.sig_text ?? null,
      };
    }),
    shipments: order.shipments,
    payment: {
      payer: order.payer,
      status: order.payment_status,
      amount_cents: order.amount_cents,
      captured_cents: order.captured_cents,
      refunded_cents: order.refunded_cents,
    },
    notes: await readNotes(deps, account_id, order_number),
    history: await listWork(deps.db, account_id, order_number),
  };
}
export type ShownOrder = Awaited<ReturnType<typeof showOrder>>;
