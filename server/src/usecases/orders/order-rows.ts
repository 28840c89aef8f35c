import { partnerAudit, stageOfState, statusOfState } from "@pestle/contract";
import { itemPlace, orderPlace, referencePlace, type SealedOrderColumn } from "../../db/orders/orders.ts";
import type { OrderContext, OrderSave } from "../../db/orders/place-order.ts";
import { bytes } from "../../db/values.ts";
import type { Deps } from "../../deps.ts";
import type { AcceptedOrder } from "../../domain/orders/decide-order.ts";
import { orderPosition } from "../../domain/orders/order-answer.ts";
import { blinded } from "../../domain/orders/order-holds.ts";
import { exact } from "../../domain/values/quantity-units.ts";
import { type AuditNote, withPatientIndexes } from "../operations/audit-note.ts";
import { partnerEntry } from "../operations/audit-partner.ts";
import { patientRow } from "../patients/patient-rows.ts";
import { sealEvent } from "../webhooks/event-body.ts";
import { blindBasis } from "./load-order.ts";
import { DUPLICATE_WINDOW_MS, type Orderer, type PreparedOrder } from "./prepare-order.ts";

/** The accepted order as rows. Columns that can identify the patient are sealed. */
export function orderRows(
  deps: Deps,
  { orderer, draft, fingerprint }: PreparedOrder,
  accepted: AcceptedOrder,
  context: OrderContext,
  now: Date,
  account_now: Date,
): OrderSave {
  const { account_id } = orderer;
  const { order, state, held_from, items, ship_to, patient_record } = accepted;
  const { order_number } = order;
  const { patient_key, revision } = context.patient!;
  const key = { account_id, order_number };
  const seal = (column: SealedOrderColumn, plain: string | null) =>
    plain === null ? null : bytes(deps.vault.seal(Buffer.from(plain), orderPlace(column, account_id, order_number)));
  const { label } = draft.shipping;
  return {
    fingerprint: {
      ...key,
      fingerprint: bytes(fingerprint),
      created_at: now,
      since: new Date(now.getTime() - DUPLICATE_WINDOW_MS),
    },
    changed_patient: patient_record && {
      ...patientRow(deps, account_id, patient_key, patient_record, account_now),
      revision,
      recheck_due: accepted.recheck_due,
    },
    patient_revision: revision,
    order: {
      ...key,
      order_position: orderPosition(order.created_at, items[0]!.dispense_id),
      order_status: statusOfState(state),
      stage: stageOfState(state),
      held_from,
      exception_ids: order.exceptions.map(({ id }) => id),
      patient_key,
      brand_id: order.brand_id,
      reference_sealed: seal("reference_sealed", order.reference),
      reference_index:
        order.reference === null ? null : bytes(deps.vault.blindIndex(order.reference, referencePlace(account_id))),
      workflow: order.workflow,
      shipping_method_id: order.shipping_method_id,
      signature_confirmation: order.signature_confirmation,
      address_sealed: seal("address_sealed", ship_to && JSON.stringify(ship_to)),
      ship_state: ship_to?.state ?? null,
      label_format: label?.format ?? null,
      label_carrier: label?.carrier ?? null,
      label_tracking_no: label?.tracking_no ?? null,
      label_sealed: seal("label_sealed", label?.data ?? null),
      payer: order.payer,
      payment_status: order.payment_status,
      payment_token_sealed: seal("payment_token_sealed", draft.payment.token),
      amount_cents: order.amount_cents,
      safety_sealed: seal("safety_sealed", accepted.findings.length === 0 ? null : JSON.stringify(accepted.findings)),
      sequence: 1,
      drug_schedule: order.drug_schedule,
      stage_since: now,
      created_at: order.created_at,
      updated_at: order.updated_at,
    },
    items: items.map(({ units: _, prescriber_name, prescriber_phone, prescriber_fax, ...item }) => {
      const named = [prescriber_name, prescriber_phone, prescriber_fax].some((value) => value !== null);
      const prescriber = Buffer.from(JSON.stringify({ prescriber_name, prescriber_phone, prescriber_fax }));
      const place = itemPlace(account_id, order_number, item.item_id);
      return {
        ...key,
        ...item,
        patient_key,
        prescriber_sealed: named ? bytes(deps.vault.seal(prescriber, place)) : null,
      };
    }),
    reserved: reservedOf(items),
    prescribed: Object.fromEntries(
      accepted.prescriptions.map(({ prescription_id, units_ordered }) => {
        const before = context.prescriptions.find((row) => row.prescription_id === prescription_id)!.units_ordered;
        return [prescription_id, { units: exact(units_ordered - before), units_ordered: before }];
      }),
    ),
    exceptions: accepted.holds.map(({ id, basis }) => ({
      exception_id: id,
      situations: [...(order.exceptions.find((one) => one.id === id)?.situations ?? [])],
      basis: basis && blinded(id, basis, (one) => blindBasis(deps, account_id, order_number, one)),
    })),
    actor: orderer.actor ?? "partner",
    audit: withPatientIndexes(deps.vault, { ...auditOf(orderer, order, now), patient_keys: [patient_key] }),
    events: accepted.events.map((event) => ({
      ...key,
      ...sealEvent(deps.vault, account_id, event),
      created_at: order.created_at,
    })),
  };
}

function auditOf({ account_id, actor, asked, person }: Orderer, order: AcceptedOrder["order"], at: Date): AuditNote {
  const seen = { patients: [], subject: order.order_number };
  if (asked !== undefined) return partnerEntry(asked.operation, asked, seen);
  const { groups: field_groups } = partnerAudit.createOrder;
  const by =
    person === undefined
      ? { person_id: null, role: actor ?? "partner", request_id: null }
      : {
          person_id: person.person_id,
          role: person.role,
          address: person.address ?? null,
          request_id: person.request_id,
        };
  return { at, account_id, action: "order_created", ...by, ...seen, field_groups };
}

function reservedOf(items: AcceptedOrder["items"]): OrderSave["reserved"] {
  const total = new Map<string, number>();
  for (const { sku, units, reserved } of items) if (reserved) total.set(sku, exact((total.get(sku) ?? 0) + units));
  return Object.fromEntries(total);
}
