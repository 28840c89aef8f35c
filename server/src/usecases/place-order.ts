import {
  type Address,
  compactAsciiJson,
  type Environment,
  type Order,
  stageOfState,
  statusOfState,
} from "@pestle/contract";
import { announce } from "../db/bus.ts";
import type { Queryable } from "../db/db.ts";
import { orderPlace, type SealedOrderColumn } from "../db/orders.ts";
import { detailsPlace } from "../db/patients.ts";
import { loadOrderContext, lockForOrder, type OrderContext, type OrderSave, saveOrder } from "../db/place-order.ts";
import { bytes } from "../db/receive.ts";
import type { Deps } from "../deps.ts";
import { SHIP_TO_NAME_CHARACTERS } from "../domain/address/address-holds.ts";
import type { Verdict } from "../domain/address/verdict.ts";
import { dateIn } from "../domain/calendar.ts";
import { type AcceptedOrder, decideOrder, type OrderDecision } from "../domain/decide-order.ts";
import type { Formulary } from "../domain/formulary.ts";
import type { IncomingAddress } from "../domain/incoming-message.ts";
import { orderAnswer } from "../domain/order-answer.ts";
import { type OrderDraft, readOrder } from "../domain/order-draft.ts";
import type { OrderFacts, PrescriptionFact } from "../domain/order-facts.ts";
import { orderPosition } from "../domain/order-position.ts";
import { orderSchedule } from "../domain/order-schedule.ts";
import { Conflict, type Problem, refuseAll } from "../domain/refusals.ts";
import { byNdcs, bySelection, exact } from "../domain/resolve-items.ts";
import { shipTo } from "../domain/ship-to.ts";
import type { SentFields } from "../domain/unknown-fields.ts";
import { randomEventId, randomOrderNumber } from "../random.ts";
import { blindBasis } from "./blind-basis.ts";
import { fillOf, LONGEST_WASHOUT_MS } from "./fills.ts";
import { accountNow } from "./move-clock.ts";
import { openRecord, patientRow } from "./patient-rows.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { settlePayment } from "./settle-payment.ts";

/** Who orders. */
export type Orderer = {
  account_id: string;
  environment: Environment;
  clock_offset_s: number;
  /** Told in the history; a partner unless it says otherwise. */
  actor?: "partner" | "system";
};
/** `settle`: where the patient pays, the money is asked for once the order is saved, outside its transaction. */
export type PlacedOrder = { order: Order; settle?: () => Promise<Order> };
export type DryRun = {
  would_create: boolean;
  problems: Problem[];
  exceptions: Order["exceptions"];
  order: Order | null;
};

/** For this long the same body is taken for a retry that should not have been sent. */
const DUPLICATE_WINDOW_MS = 60_000;

/** An order that was read and whose address was judged: what is left needs the database. */
export type PreparedOrder = {
  orderer: Orderer;
  draft: OrderDraft;
  shape: Problem[];
  sent_verdict: Verdict | null;
  fingerprint: Buffer;
  formulary: Formulary;
};

/** Reads the body and asks the validator, which may be far away: never inside a transaction. */
export async function prepareOrder(
  deps: Deps,
  orderer: Orderer,
  body: SentFields,
  canonical: string,
  now: Date,
  /** Where it goes if the body does not say: there an order went before. */
  address: Address | null = null,
): Promise<PreparedOrder> {
  const today = dateIn(deps.config.TIME_ZONE, accountNow(now, orderer.clock_offset_s));
  const { draft, problems } = readOrder(body, { zips: deps.zips, today, address });
  const { formulary } = await readCatalogue(deps, orderer.account_id);
  const sent_verdict =
    typeof draft.address === "string"
      ? null
      : await deps.address_validators[orderer.environment].validate(draft.address.address);
  // Keyed: the plain hash of a body could be found out by trying.
  const fingerprint = deps.vault.blindIndex(canonical, `order_fingerprint.fingerprint ${orderer.account_id}`);
  return { orderer, draft, shape: problems, sent_verdict, fingerprint, formulary };
}

/**
 * Load, decide, save: two statements. Refused, it wrote nothing. A conflict is for the caller to try again, in a
 * transaction and with `after_conflict`: what two decided on at once, they then decide on one after the other.
 */
export async function placeOrder(
  deps: Deps,
  db: Queryable,
  prepared: PreparedOrder,
  now: Date,
  after_conflict = false,
): Promise<PlacedOrder> {
  if (after_conflict) {
    const { account_id } = prepared.orderer;
    await lockForOrder(db, account_id, prepared.draft.patient.patient_id, prescriptionIds(prepared.draft));
  }
  const { decision, context, account_now } = await decide(deps, db, prepared, now);
  refuseAll(decision.problems);
  const accepted = decision.accepted!;
  const { emptied } = await saveOrder(db, rowsOf(deps, prepared, accepted, context, now, account_now));
  // Rare, so a notify may cost what it costs: whoever keeps the catalogue shows it as out of stock.
  if (emptied.length > 0) await announce(db, { kind: "catalogue", account_id: prepared.orderer.account_id });
  const order = answerOf(accepted);
  if (order.payment.status !== "pending") return { order };
  const { account_id } = prepared.orderer;
  return { order, settle: () => settlePayment(deps, account_id, order.order_number) };
}

/** What `placeOrder` would do, and nothing done. */
export async function tryOrder(deps: Deps, db: Queryable, prepared: PreparedOrder, now: Date): Promise<DryRun> {
  const { decision } = await decide(deps, db, prepared, now);
  const order = decision.accepted && answerOf(decision.accepted);
  return {
    would_create: order !== null,
    problems: decision.problems,
    exceptions: order?.exceptions ?? [],
    order,
  };
}

async function decide(
  deps: Deps,
  db: Queryable,
  { orderer, draft, shape, sent_verdict, fingerprint, formulary }: PreparedOrder,
  now: Date,
): Promise<{ decision: OrderDecision; context: OrderContext; account_now: Date }> {
  const context = await loadOrderContext(db, {
    account_id: orderer.account_id,
    fingerprint,
    since: new Date(now.getTime() - DUPLICATE_WINDOW_MS),
    patient_id: draft.patient.patient_id,
    prescription_ids: prescriptionIds(draft),
    skus: draft.items.flatMap((item) => namedSku(item, formulary) ?? []),
    items: draft.items.length,
    taken_since: new Date(accountNow(now, orderer.clock_offset_s).getTime() - LONGEST_WASHOUT_MS),
  });
  if (context.recent_order_number !== null) throw new Conflict(context.recent_order_number);
  const account_now = accountNow(now, context.clock_offset_s);
  const facts = factsOf(deps, orderer, draft, sent_verdict, formulary, context, account_now);
  const ids = { order_number: randomOrderNumber(), dispense_ids: context.dispense_ids, event_id: randomEventId };
  return { decision: decideOrder(facts, shape, deps.config.TIME_ZONE, ids), context, account_now };
}

const prescriptionIds = ({ items }: OrderDraft) => items.flatMap(({ prescription_id }) => prescription_id ?? []);

/** The shelf of a product that an item names itself; that of its prescription is found by the statement. */
function namedSku(item: OrderDraft["items"][number], formulary: Formulary): string | undefined {
  if (item.sku !== null) return item.sku;
  if (item.product_selection !== null) return bySelection(item.product_selection, formulary)?.sku;
  if (item.ndcs !== null) return byNdcs(item.ndcs, formulary)?.sku;
  return item.gcn === null ? undefined : formulary.by_gcn.get(item.gcn)?.[0]?.sku;
}

function factsOf(
  deps: Deps,
  { account_id, environment }: Orderer,
  draft: OrderDraft,
  sent_verdict: Verdict | null,
  formulary: Formulary,
  context: OrderContext,
  account_now: Date,
): OrderFacts {
  const { patient_id } = draft.patient;
  const record =
    patient_id === null || context.patient === null
      ? null
      : openRecord(deps, account_id, patient_id, Buffer.from(context.patient.record_sealed, "base64"));
  const details = prescriptionIds(draft).flatMap((prescription_id) => {
    const row = context.prescriptions.find((one) => one.prescription_id === prescription_id);
    return row?.patient_id === patient_id && draft.address === "absent" ? [openDetails(deps, account_id, row)] : [];
  });
  const validate = (address: Parameters<(typeof deps.address_validators)["sandbox"]["validate"]>[0]) => {
    // A validator over the network judges what is sent; what is on file is judged by the tables alone.
    const verdict = deps.address_validators[environment].validate(address);
    return verdict instanceof Promise ? null : verdict;
  };
  return {
    draft,
    account: { account_id, workflow: context.workflow, custom_labels: context.custom_labels },
    formulary,
    patient: record && { patient_id: patient_id!, record },
    prescriptions: new Map(context.prescriptions.map((row) => [row.prescription_id, prescriptionFact(row)])),
    stock: new Map(context.stock.map(({ sku, available_units }) => [sku, available_units])),
    fills: context.fills.map(fillOf),
    safety: deps.safety.current(),
    ship_to: shipTo(draft, sent_verdict, { prescriptions: details, patient: record }, validate),
    now: account_now,
    today: dateIn(deps.config.TIME_ZONE, account_now),
    name_characters: SHIP_TO_NAME_CHARACTERS,
  };
}

type SealedRow = OrderContext["prescriptions"][number];

function openDetails(deps: Deps, account_id: string, { prescription_id, details_sealed }: SealedRow) {
  const opened = deps.vault.open(Buffer.from(details_sealed, "base64"), detailsPlace(account_id, prescription_id));
  return JSON.parse(opened.toString("utf8")) as { address: IncomingAddress | null; phone: string | null };
}

function prescriptionFact({ details_sealed: _, received_at, expires_at, ...row }: SealedRow): PrescriptionFact {
  return { ...row, received_at: new Date(received_at), expires_at: new Date(expires_at) };
}

const answerOf = ({ order, prescriptions }: AcceptedOrder): Order => orderAnswer(order, prescriptions);

/** The accepted order as rows: sealed where it tells who. */
function rowsOf(
  deps: Deps,
  { orderer, draft, fingerprint, formulary }: PreparedOrder,
  accepted: AcceptedOrder,
  context: OrderContext,
  now: Date,
  account_now: Date,
): OrderSave {
  const { account_id } = orderer;
  const { order, state, held_from, items, ship_to, patient_record } = accepted;
  const { order_number, patient_id } = order;
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
      ...patientRow(deps, account_id, patient_id, patient_record, account_now),
      patient_id,
      revision: context.patient!.revision,
    },
    order: {
      ...key,
      order_position: orderPosition(order.created_at, items[0]!.dispense_id),
      order_status: statusOfState(state),
      stage: stageOfState(state),
      held_from,
      open_exceptions: order.exceptions.length,
      exception_ids: order.exceptions.map(({ id }) => id),
      patient_id,
      brand_id: order.brand_id,
      reference: order.reference,
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
      drug_schedule: orderSchedule(order.items, accepted.prescriptions, formulary),
      stage_since: now,
      created_at: order.created_at,
      updated_at: order.updated_at,
    },
    items: items.map(({ units: _, ...item }) => ({ ...key, ...item, patient_id })),
    reserved: reservedOf(items),
    prescribed: Object.fromEntries(
      accepted.prescriptions.map(({ prescription_id, units_ordered }) => {
        const before = context.prescriptions.find((row) => row.prescription_id === prescription_id)!.units_ordered;
        return [prescription_id, { units: exact(units_ordered - before), units_ordered: before }];
      }),
    ),
    exceptions: accepted.holds.map(({ id, basis }) => ({
      ...key,
      exception_id: id,
      raised_at: order.created_at,
      basis: basis && blindBasis(deps, account_id, order_number, basis),
    })),
    history: [
      {
        ...key,
        at: order.created_at,
        actor: orderer.actor ?? "partner",
        event: "create",
        from: null,
        to: order.order_status,
        stage: stageOfState(state),
        exception_id: order.exceptions[0]?.id ?? null,
      },
    ],
    events: accepted.events.map(({ event_id, event_type, body }) => ({
      ...key,
      event_id,
      event_type,
      patient_id,
      body: compactAsciiJson(body),
      created_at: order.created_at,
    })),
  };
}

function reservedOf(items: AcceptedOrder["items"]): OrderSave["reserved"] {
  const total = new Map<string, number>();
  for (const { sku, units, reserved } of items) if (reserved) total.set(sku, exact((total.get(sku) ?? 0) + units));
  return Object.fromEntries(total);
}
