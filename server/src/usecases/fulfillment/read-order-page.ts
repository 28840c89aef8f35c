import { type DashboardOrder, exceptionRow, type OrderState, orderStatusReasons } from "@pestle/contract";
import {
  listActionLines,
  listHistoryLines,
  listNames,
  listPaymentRows,
  listScanLines,
  listViews,
  listWebhookLines,
  loadOrderFacts,
  type OrderFacts,
} from "../../db/fulfillment/order-page.ts";
import { listExchanges } from "../../db/operations/provider-exchanges.ts";
import { listPatientMessageLines } from "../../db/patients/patient-messages.ts";
import type { Deps } from "../../deps.ts";
import { asReceived } from "../../domain/intake/medication-request.ts";
import { orderAnswer } from "../../domain/orders/order-answer.ts";
import { maskedAddress, maskedPatient } from "../../domain/patients/masked-patient.ts";
import { safetyStatuses } from "../../domain/patients/safety-record.ts";
import { realTime } from "../../domain/values/account-clock.ts";
import { lineDifferences } from "../../domain/values/line-differences.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { readTargets } from "../operations/read-home.ts";
import { type LoadedOrder, loadChangingOrder } from "../orders/load-order.ts";
import { suggestionWhileHeld } from "../orders/suggest-address.ts";
import { readNotes } from "./claim-order.ts";
import { isLate } from "./list-queue.ts";
import { hasLot, shownLot, suggestedLots } from "./lots/fill-lots.ts";
import { timelineOf } from "./order-timeline.ts";
import { carrierOf, carrierRefusal, labelSource, newestLabel } from "./parcels/parcel-label.ts";
import { readPostage } from "./parcels/read-postage.ts";
import type { Worker } from "./steps.ts";
import { workOptions } from "./work-options.ts";
import { workRefusals } from "./work-refusal.ts";

const MOST_HISTORY = 500;
const MOST_VIEWS = 100;
const MOST_WEBHOOKS = 200;
const MOST_EXCHANGES = 200;
/** Audit actions that the order's timeline shows. */
const VIEWS = [
  "order_viewed",
  "order_revealed",
  "document_viewed",
  "order_assigned",
  "order_printed",
  "safety_entry_added",
  "safety_entry_removed",
] as const;

/** An order as pharmacy staff see it, with patient and address masked. */
export async function readOrderPage(
  deps: Deps,
  by: Worker,
  account_id: string,
  order_number: string,
): Promise<DashboardOrder> {
  const { db } = deps;
  const [
    loaded,
    facts,
    notes,
    history,
    scans,
    payments,
    actions,
    views,
    webhooks,
    exchanges,
    patient_messages,
    postage,
    targets,
  ] = await Promise.all([
    withKeysOfNow(deps, () => loadChangingOrder(deps, db, account_id, order_number)),
    loadOrderFacts(db, account_id, order_number),
    readNotes(deps, account_id, order_number),
    listHistoryLines(db, account_id, order_number, MOST_HISTORY),
    listScanLines(db, account_id, order_number),
    listPaymentRows(db, account_id, order_number),
    listActionLines(db, account_id, order_number),
    listViews(db, account_id, order_number, VIEWS, MOST_VIEWS),
    listWebhookLines(db, account_id, order_number, MOST_WEBHOOKS),
    listExchanges(db, account_id, order_number, MOST_EXCHANGES),
    listPatientMessageLines(db, account_id, order_number),
    readPostage(db, by.role, account_id, order_number),
    readTargets(db),
  ]);
  if (facts === undefined) throw new StatusRefusal(404);
  const { order, standing, row, prescriptions, record, revision } = loaded;
  const label = await newestLabel(deps, loaded);
  const people = [...history, ...notes, ...views].map(({ person_id }) => person_id);
  const ids = [...people, row.claimed_by, row.filled_by, label.printed?.printed_by].flatMap(
    (person_id) => person_id ?? [],
  );
  const names = new Map((await listNames(db, [...new Set(ids)])).map(({ person_id, name }) => [person_id, name]));
  const now = deps.now();
  const label_from = labelSource(deps, loaded);
  const { cannot_resolve, ...options } = workOptions(
    loaded,
    by,
    now,
    label.fits,
    label_from === "nobody" ? carrierRefusal(deps) : null,
  );
  const { address: _, items: __, medication_requests: ___, ...shown } = orderAnswer(order, prescriptions, loaded.rules);
  const suggestion = await suggestionWhileHeld(deps, loaded.environment, order.address, standing.open);
  const named = (person_id: string) => ({ person_id, name: names.get(person_id) ?? person_id });
  return {
    account_id,
    partner: facts.partner,
    environment: facts.environment,
    order: shown,
    state: standing.state,
    held_from: standing.held_from as OrderState | null,
    stage_since: facts.stage_since.toISOString(),
    late: isLate(facts.queue, facts.stage_since, targets, now),
    revision,
    claim:
      row.claimed_by === null || row.claimed_until! <= now
        ? null
        : {
            ...named(row.claimed_by),
            until: row.claimed_until!.toISOString(),
            mine: row.claimed_by === by.person_id,
          },
    filled_by: row.filled_by === null ? null : { ...named(row.filled_by), me: row.filled_by === by.person_id },
    brand: facts.brand,
    method: facts.method,
    patient: maskedPatient(order.patient_id, record),
    patient_key: row.patient_key,
    safety_status: safetyStatuses(record.patient_safety),
    address: order.address && maskedAddress(order.address, suggestion !== null),
    lines: linesOf(loaded, facts, options.can.includes("complete_fill") ? await suggestedLots(db, loaded) : new Map()),
    findings: findingsOf(loaded),
    exceptions: shown.exceptions.map((exception) => {
      const refused = cannot_resolve.get(exception.id) ?? null;
      return {
        ...exception,
        raised_at: realTime(new Date(exception.raised_at), facts.clock_offset_s).toISOString(),
        who_acts: exceptionRow(exception.id).who_acts,
        needs_code: exceptionRow(exception.id).overridden_by === "pharmacist",
        cannot_resolve: refused && workRefusals[refused],
      };
    }),
    shipments: order.shipments.map((shipment) => ({
      ...shipment,
      scans: scans
        .filter(({ tracking_no }) => tracking_no === shipment.tracking_no)
        .map(({ at, status, place, description }) => ({ at: at.toISOString(), status, place, description })),
    })),
    label_from,
    parcel: label.printed && {
      tracking_no: label.printed.tracking_no,
      carrier: carrierOf(loaded),
      label_format: label.printed.format,
      printed_at: label.printed.printed_at.toISOString(),
      printed_by: named(label.printed.printed_by).name,
      current: label.fits,
    },
    payments: payments.map(({ at, reason_id, ...payment }) => ({
      ...payment,
      at: at.toISOString(),
      reason: orderStatusReasons.find(({ id }) => id === reason_id)?.name ?? null,
    })),
    postage,
    timeline: timelineOf({ history, notes, actions, views, webhooks, exchanges, patient_messages }, names),
    documents: documentsOf(loaded, label.fits),
    ...options,
  };
}

function linesOf(
  { order, prescriptions, details }: LoadedOrder,
  facts: OrderFacts,
  suggested: Awaited<ReturnType<typeof suggestedLots>>,
): DashboardOrder["lines"] {
  return order.items.map((item) => {
    const { units, lot, lot_expires_on, lots } = details.find(({ item_id }) => item_id === item.item_id)!;
    const { name, drug_schedule, cold_chain } = facts.items.find(({ item_id }) => item_id === item.item_id)!;
    const written = prescriptions.find(({ prescription_id }) => prescription_id === item.prescription_id);
    const { item_id, sku, ndc, quantity, package_size, dispense_id, needs_prescription } = item;
    return {
      ...{ item_id, sku, name, ndc, schedule: drug_schedule, cold_chain, quantity, package_size, units, dispense_id },
      ...{ has_lot: hasLot(item), lot, lot_expires_on, lots: lots.map(shownLot), needs_prescription },
      suggested_lots: suggested.get(item_id) ?? [],
      prescription: written === undefined ? null : receivedLine(written, order.workflow),
      differences: written === undefined ? [] : lineDifferences({ name, ndc, units, schedule: drug_schedule }, written),
    };
  });
}

function receivedLine(written: LoadedOrder["prescriptions"][number], workflow: LoadedOrder["order"]["workflow"]) {
  const { patient_id: _, ...received } = asReceived(written, workflow);
  return { ...received, refills: written.refills };
}

/** The safety findings when the checks last ran. Orders that 0.1.0 stored have no advice. */
const findingsOf = ({ found }: LoadedOrder): DashboardOrder["findings"] =>
  found.map(({ kind, severity, exception_id, item_id, message, advice = null, source, elsewhere = [] }) => ({
    ...{ kind, severity, exception_id, item_id, message, advice, source, elsewhere },
  }));

/** The documents that can be printed now: package labels after filling, shipping documents from the first print on. */
function documentsOf({ order, details }: LoadedOrder, printed: boolean): DashboardOrder["documents"] {
  const filled = order.items.filter(({ item_id, prescription_id }) => {
    const { lot } = details.find((one) => one.item_id === item_id)!;
    return prescription_id !== null && lot !== null;
  });
  const of_items = filled.flatMap(({ item_id }) => [
    { kind: "prescription" as const, item_id, name: `Label for item ${item_id}` },
    { kind: "leaflet" as const, item_id, name: `Leaflet for item ${item_id}` },
  ]);
  const sent = (printed || order.shipments.length > 0) && order.address !== null;
  return [
    ...of_items,
    ...(sent ? [{ kind: "label" as const, item_id: null, name: "Shipping label" }] : []),
    ...(sent ? [{ kind: "slip" as const, item_id: null, name: "Packing slip" }] : []),
  ];
}
