import type { Address, Order, Quote, TriedOrder } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import { loadOrderContext, lockForOrder, type OrderContext, saveOrder } from "../../db/orders/place-order.ts";
import { detailsPlace } from "../../db/patients/patients.ts";
import type { Deps } from "../../deps.ts";
import type { Formulary } from "../../domain/catalogue/formulary.ts";
import type { IncomingAddress } from "../../domain/intake/incoming-message.ts";
import { type AcceptedOrder, decideOrder, type OrderDecision } from "../../domain/orders/decide-order.ts";
import type { FillRules } from "../../domain/orders/fillability.ts";
import { type Actor, partner, partnerBy } from "../../domain/orders/order.ts";
import { orderAnswer, triedAnswer } from "../../domain/orders/order-answer.ts";
import type { OrderDraft } from "../../domain/orders/order-draft.ts";
import type { OrderFacts, PrescriptionFact } from "../../domain/orders/order-facts.ts";
import { quoteOf } from "../../domain/orders/quote.ts";
import { byNdcs, bySelection } from "../../domain/orders/resolve-items.ts";
import { shipTo } from "../../domain/orders/ship-to.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import { SHIP_TO_NAME_CHARACTERS } from "../../domain/values/address/address-holds.ts";
import type { Verdict } from "../../domain/values/address/verdict.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { canonicalJson } from "../../domain/values/canonical-json.ts";
import { Conflict, type Problem, refuseAll } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { randomEventId, randomOrderNumber } from "../../random.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { openWritten } from "../intake/written.ts";
import { openRecord, patientIndex } from "../patients/patient-rows.ts";
import { type FinishedAnswer, type PartnerCall, type Write, writeAnswer } from "../write.ts";
import { orderRows } from "./order-rows.ts";
import { fillOf, LONGEST_HISTORY_MS } from "./patient-fills.ts";
import { DUPLICATE_WINDOW_MS, type Orderer, type PreparedOrder, prepareOrder } from "./prepare-order.ts";
import { prepareReorder } from "./prepare-reorder.ts";
import { recheckPatient } from "./recheck-orders.ts";
import { settlePayment } from "./settle-payment.ts";
import { type AddressDue, addressDue, noteUnverified, verifyShipTo } from "./verify-ship-to.ts";

/** A saved order. `recheck_due`: it added facts about the patient, so the checks must run again on the patient's other orders. */
export type PlacedOrder = {
  order: Order;
  recheck_due: boolean;
  patient_key: number;
  address_due?: AddressDue | undefined;
};

export type DryRun = {
  would_create: boolean;
  problems: Problem[];
  exceptions: Order["exceptions"];
  /** The order that the same body created a moment ago, in place of the 409. */
  conflict: { order_number: string } | null;
  order: TriedOrder | null;
  quote: Quote | null;
  /** For the audit log. */
  patient_id: string | null;
};

/** POST /orders. */
export const createOrder = (deps: Deps, call: PartnerCall, body: SentFields): Promise<FinishedAnswer> =>
  writeAnswer(
    deps,
    call.key,
    201,
    orderWrite(deps, call, () =>
      prepareOrder(deps, ordererOf(call, "createOrder"), body, () => canonicalJson(body), call.now),
    ),
  );

/** A new order like a shipped one; fields missing from the body are copied from it. */
export const createReorder = (
  deps: Deps,
  call: PartnerCall,
  order_number: string,
  body: SentFields,
): Promise<FinishedAnswer> =>
  writeAnswer(
    deps,
    call.key,
    201,
    orderWrite(deps, call, async () => {
      const whole = await prepareReorder(deps, call.grant.account_id, order_number, body);
      // Not the same request as an order with this body, nor as a reorder of another order.
      const canonicalOf = () => canonicalJson([order_number, body]);
      const orderer = ordererOf(call, "createReorder");
      return prepareOrder(deps, orderer, whole.body, canonicalOf, call.now, whole.address);
    }),
  );

const ordererOf = (call: PartnerCall, operation: "createOrder" | "createReorder"): Orderer => ({
  ...call.grant,
  asked: { grant: call.grant, by: call.by, now: call.now, operation },
});

/** Two statements without a transaction. If the patient pays, the card is authorized after the order is saved. */
const orderWrite = (
  deps: Deps,
  { grant, now, by }: Pick<PartnerCall, "grant" | "now" | "by">,
  prepare: () => Promise<PreparedOrder>,
): Write<PreparedOrder, PlacedOrder> & { answer: (placed: PlacedOrder) => Order } => ({
  prepare,
  transaction: "on_retry",
  attempt: (db, prepared, retried) => placeOrder(deps, db, prepared, now, retried),
  settle: (placed) => settleNew(deps, grant.account_id, placed, partnerBy({ by })),
  answer: ({ order }) => order,
});

/** Checks the patient's other orders if this one added facts, and authorizes the card if a payment is pending. */
export function settleNew(
  deps: Deps,
  account_id: string,
  placed: PlacedOrder,
  actor: Actor = partner,
): Promise<PlacedOrder> | undefined {
  const { order, recheck_due, patient_key, address_due } = placed;
  const pending = order.payment.status === "pending";
  if (!recheck_due && !pending && address_due === undefined) return undefined;
  const { order_number } = order;
  return (async () => {
    if (recheck_due) await recheckPatient(deps, account_id, patient_key, actor);
    if (address_due === "note") await noteUnverified(deps, account_id, order_number);
    const verified = address_due === "verify" ? await verifyShipTo(deps, account_id, order_number) : order;
    return { ...placed, order: pending ? await settlePayment(deps, account_id, order_number) : verified };
  })();
}

/**
 * Loads, decides and saves. A refused order writes nothing. A retry runs in a transaction and locks the rows that it
 * decides on, so that two racing orders decide one after the other.
 */
export async function placeOrder(
  deps: Deps,
  db: Queryable,
  prepared: PreparedOrder,
  now: Date,
  retried = false,
): Promise<PlacedOrder> {
  const { account_id } = prepared.orderer;
  if (retried)
    await lockForOrder(db, account_id, indexOf(deps, account_id, prepared.draft), prescriptionIds(prepared.draft));
  const { decision, context, rules, ship_to } = await decide(deps, db, prepared, now);
  refuseAll(decision.problems);
  const accepted = decision.accepted!;
  await saveOrder(db, orderRows(deps, prepared, accepted, context, now, rules.now));
  const { patient_key } = context.patient!;
  const validator = deps.address_validators[prepared.orderer.environment];
  const address_due = addressDue(validator, prepared.sent_verdict, ship_to.from);
  return { order: answerOf(accepted, rules), recheck_due: accepted.recheck_due, patient_key, address_due };
}

/** Returns what `createOrder` would do, and writes nothing. */
export async function tryOrder(deps: Deps, { grant, now }: PartnerCall, body: SentFields): Promise<DryRun> {
  const prepared = await prepareOrder(deps, grant, body, () => canonicalJson(body), now);
  const nothing = {
    would_create: false,
    problems: [],
    exceptions: [],
    conflict: null,
    order: null,
    quote: null,
    patient_id: null,
  };
  const { TIME_ZONE: time_zone, CUT_OFF_TIME: cut_off, CLOSED_DATES } = deps.config;
  const calendar = { time_zone, cut_off, closed: CLOSED_DATES.split(",") };
  try {
    const { decision, rules } = await withKeysOfNow(deps, () => decide(deps, deps.db, prepared, now));
    if (decision.accepted === null) return { ...nothing, problems: decision.problems };
    const order = triedAnswer(answerOf(decision.accepted, rules));
    const { exceptions, patient_id } = order;
    const quote = quoteOf(decision.accepted, prepared.listed, rules.now, calendar);
    return { ...nothing, would_create: true, exceptions, order, quote, patient_id };
  } catch (error) {
    if (!(error instanceof Conflict) || error.order_number === undefined) throw error;
    return { ...nothing, conflict: { order_number: error.order_number } };
  }
}

/** The same for an order that was read already. */
export const tryPrepared = async (
  deps: Deps,
  db: Queryable,
  prepared: PreparedOrder,
  now: Date,
): Promise<OrderDecision> => (await decide(deps, db, prepared, now)).decision;

async function decide(
  deps: Deps,
  db: Queryable,
  { orderer, draft, shape, sent_verdict, fingerprint, formulary }: PreparedOrder,
  now: Date,
): Promise<{ decision: OrderDecision; context: OrderContext; rules: FillRules; ship_to: OrderFacts["ship_to"] }> {
  const context = await loadOrderContext(db, {
    account_id: orderer.account_id,
    fingerprint,
    since: new Date(now.getTime() - DUPLICATE_WINDOW_MS),
    patient_index: indexOf(deps, orderer.account_id, draft),
    prescription_ids: prescriptionIds(draft),
    skus: draft.items.flatMap((item) => namedSku(item, formulary) ?? []),
    items: draft.items.length,
    taken_since: new Date(accountNow(now, orderer.clock_offset_s).getTime() - LONGEST_HISTORY_MS),
  });
  if (context.recent_order_number !== null) throw new Conflict(context.recent_order_number);
  const account_now = accountNow(now, context.clock_offset_s);
  const facts = factsOf(deps, orderer, draft, sent_verdict, formulary, context, account_now);
  const ids = { order_number: randomOrderNumber(), dispense_ids: context.dispense_ids, event_id: randomEventId };
  const time_zone = deps.config.TIME_ZONE;
  const rules = { formulary, time_zone, now: account_now, today: facts.today };
  return { decision: decideOrder(facts, shape, time_zone, ids), context, rules, ship_to: facts.ship_to };
}

const indexOf = (deps: Deps, account_id: string, { patient: { patient_id } }: OrderDraft) =>
  patient_id === null ? null : patientIndex(deps, account_id, patient_id);

const prescriptionIds = ({ items }: OrderDraft) => items.flatMap(({ prescription_id }) => prescription_id ?? []);

/** The SKU that the item itself names; for a prescription, the statement finds the SKU. */
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
      : openRecord(deps, account_id, context.patient.patient_key, context.patient.record_sealed);
  const details = prescriptionIds(draft).flatMap((prescription_id) => {
    const row = context.prescriptions.find((one) => one.prescription_id === prescription_id);
    return row !== undefined && row.patient_key === context.patient?.patient_key && draft.address === "absent"
      ? [openDetails(deps, account_id, row)]
      : [];
  });
  const validate = (address: Address) => {
    // A provider checks an address on file after the order is saved.
    const validator = deps.address_validators[environment];
    const verdict = validator.byTables?.(address) ?? validator.validate(address);
    return verdict instanceof Promise ? null : verdict;
  };
  return {
    draft,
    account: { account_id, workflow: context.workflow, custom_labels: context.custom_labels },
    formulary,
    patient: record && { patient_id: patient_id!, record },
    prescriptions: new Map(
      context.prescriptions.map((row) => {
        const own = row.patient_key === context.patient?.patient_key;
        return [row.prescription_id, prescriptionFact(deps, account_id, row, own ? patient_id! : ANOTHER)];
      }),
    ),
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

/** No patient has this id. */
const ANOTHER = "";

function prescriptionFact(deps: Deps, account_id: string, sealed: SealedRow, patient_id: string): PrescriptionFact {
  const {
    details_sealed: _,
    patient_key: __,
    received_at,
    expires_at,
    ...row
  } = openWritten(deps.vault, account_id, sealed);
  return { ...row, patient_id, received_at: new Date(received_at), expires_at: new Date(expires_at) };
}

const answerOf = ({ order, prescriptions }: AcceptedOrder, rules: FillRules): Order =>
  orderAnswer(order, prescriptions, rules);
