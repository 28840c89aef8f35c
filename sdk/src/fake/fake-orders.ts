import {
  type ActionKey,
  actionBody,
  actions,
  type ExceptionId,
  exampleOrder,
  exampleShippedPrescription,
  exceptionRow,
  isActionKey,
  OrderRequest as OrderRequestSchema,
  type OrderState,
  orderActionsOf,
  orderStatusReasons,
  type Role,
  statusOfState,
  type Transition,
  type TransitionEvent,
  toldInOrder,
  transitions,
} from "@pestle/contract/partner";
import type { ActionRequest, ActionRequestInput, Order, OrderRequest } from "../generated/records.ts";
import { problemsOf } from "./check-body.ts";
import { emit, type FakeBook, type FakeOrder, orderNumber } from "./fake-book.ts";
import { type Problem, refuse, refuseAll, refuseWith } from "./refusal.ts";

/** The order, or 404. */
export const orderOf = (book: FakeBook, order_number: string): FakeOrder =>
  book.orders.get(order_number) ?? refuseWith(404);

/** Why the service would refuse this order, as far as the fake pharmacy knows. */
export function orderProblems(book: FakeBook, body: unknown, shipping_ids: readonly number[]): Problem[] {
  const wrong = problemsOf(OrderRequestSchema, body);
  if (wrong.length > 0) return wrong;
  const { patient, shipping, items } = body as OrderRequest;
  const problems: Problem[] = [];
  if (!book.patients.has(patient.patient_id)) problems.push({ code: 42206, field: "patient.patient_id" });
  if (!shipping_ids.includes(shipping.method_id)) problems.push({ code: 42291, field: "shipping.method_id" });
  for (const [index, { prescription_id }] of items.entries()) {
    if (prescription_id == null) continue;
    const prescription = book.prescriptions.get(prescription_id);
    const field = `items[${index}].prescription_id`;
    if (prescription?.patient_id !== patient.patient_id || !prescription.active) problems.push({ code: 42249, field });
    else if (fillsLeft(book, prescription_id) < 1) problems.push({ code: 42250, field });
  }
  return problems;
}

/** Fills that no order has taken. `refills_left` of a record counts those after the current one. */
function fillsLeft(book: FakeBook, prescription_id: number): number {
  const taken = ordersWith(book, prescription_id).filter(({ state }) => state !== "Canceled").length;
  return book.prescriptions.get(prescription_id)!.refills_left + 1 - taken;
}

const ordersWith = (book: FakeBook, prescription_id: number): FakeOrder[] =>
  [...book.orders.values()].filter(({ record }) =>
    record.items.some((item) => item.prescription_id === prescription_id),
  );

/** The holds that follow from the records alone. A test raises any other. */
function holdsOf(book: FakeBook, body: OrderRequest): ExceptionId[] {
  const { email, addresses } = book.patients.get(body.patient.patient_id)!;
  const waiting = body.items.some(
    ({ prescription_id }) =>
      prescription_id != null &&
      ordersWith(book, prescription_id).some(({ state }) => !["Shipped", "Delivered", "Canceled"].includes(state)),
  );
  return [
    ...((body.patient.email ?? email) == null ? [65 as const] : []),
    ...(body.address == null && addresses.length === 0 ? [66 as const] : []),
    ...(waiting ? [68 as const] : []),
  ];
}

export function createOrder(book: FakeBook, body: OrderRequest, more_holds: readonly ExceptionId[]): FakeOrder {
  const holds = [...holdsOf(book, body), ...more_holds].sort((a, b) => a - b);
  const prescribed = body.items.some(({ prescription_id }) => prescription_id != null);
  const order: FakeOrder = {
    record: newRecord(book, body),
    ...{ state: "new", before_hold: undefined, sequence: 0, history: [], requests: [], payment_told: undefined },
  };
  const first = prescribed ? ("Processing/clinical_review" as const) : ("Filling/fill" as const);
  if (holds.length > 0) order.before_hold = first;
  book.orders.set(order.record.order_number, order);
  take(book, order, "create", "partner", { to: holds.length > 0 ? "On Hold" : first, raises: holds });
  return order;
}

function newRecord(book: FakeBook, body: OrderRequest): Order {
  const at = book.now().toISOString();
  const order_number = orderNumber(book);
  const {
    address_id: _id,
    default: _default,
    ...onFile
  } = {
    ...{ address_id: 0, default: false },
    ...(body.address ?? book.patients.get(body.patient.patient_id)!.addresses[0]),
  };
  const items = body.items.map(({ prescription_id = null, sku, ndc, quantity, package_size }, index) => ({
    item_id: index + 1,
    prescription_id,
    sku: sku ?? exampleOrder.items[0]!.sku,
    ndc: ndc ?? exampleOrder.items[0]!.ndc,
    quantity: quantity ?? 1,
    package_size: package_size ?? exampleOrder.items[0]!.package_size,
    dispense_id: prescription_id === null ? null : 500_000 + book.next(),
  }));
  return {
    ...structuredClone(exampleOrder),
    ...{ order_number, created_at: at, updated_at: at, items, shipments: [], exception: null, exceptions: [] },
    patient_id: body.patient.patient_id,
    brand_id: body.brand_id ?? exampleOrder.brand_id,
    reference: body.reference ?? null,
    shipping: {
      ...exampleOrder.shipping,
      method_id: body.shipping.method_id,
      signature_confirmation: body.shipping.signature_confirmation ?? false,
    },
    address:
      "street1" in onFile ? { ...exampleOrder.address!, street2: null, phone: null, ...addressOf(onFile) } : null,
    payment: { ...exampleOrder.payment, payer: body.payment?.payer ?? exampleOrder.payment.payer },
    medication_requests: items
      .filter((item) => item.prescription_id !== null)
      .map((item) => ({
        ...structuredClone(book.prescriptions.get(item.prescription_id!)!),
        medication_dispenses: [
          {
            dispense_id: item.dispense_id!,
            order_number,
            order_status: "Processing" as const,
            ndc: item.ndc!,
            quantity: item.quantity,
            package_size: item.package_size!,
            shipment: null,
          },
        ],
      })),
  };
}

/** Without the fields that only requests have. */
function addressOf(given: object): Partial<NonNullable<Order["address"]>> {
  const { accept_suggested: _accept, ignore_warnings: _ignore, ...address } = given as Record<string, unknown>;
  return Object.fromEntries(Object.entries(address).filter(([, value]) => value != null));
}

type Taken = { to?: OrderState; raises?: readonly ExceptionId[]; resolves?: ExceptionId };

/** Takes a step that the contract's table of transitions has, writes it to the history, and sends its events. */
function take(book: FakeBook, order: FakeOrder, event: TransitionEvent, by: Role, taken: Taken = {}): void {
  const { record, state } = order;
  const previous = state === "new" ? null : record.order_status;
  const open = event === "cancel" ? [] : record.exceptions.filter(({ id }) => id !== taken.resolves);
  const wanted = taken.to ?? (event === "resolve" && open.length > 0 ? "On Hold" : undefined);
  const rows: readonly Transition[] = transitions;
  const row = rows.find(
    (one) =>
      one.event === event &&
      one.by.includes(by) &&
      one.from.includes(state) &&
      (wanted === undefined ? event !== "resolve" || one.to === "before the hold" : one.to === wanted),
  );
  if (row === undefined) refuse(42463, "event");
  const at = book.now().toISOString();
  const raised = (taken.raises ?? []).map((id) => exceptionRecord(id, at));
  record.exceptions = [...open, ...raised].sort((a, b) => a.id - b.id);
  record.exception = record.exceptions[0] ?? null;
  if (row.to === "On Hold" && state !== "On Hold" && state !== "new")
    order.before_hold = state as NonNullable<FakeOrder["before_hold"]>;
  order.state =
    row.to === "before the hold" ? order.before_hold! : row.to === "unchanged" ? (state as OrderState) : row.to;
  record.order_status = statusOfState(order.state);
  record.updated_at = at;
  apply(record, event, at);
  for (const { medication_dispenses } of record.medication_requests) {
    for (const dispense of medication_dispenses) dispense.order_status = record.order_status;
  }
  order.history.unshift({
    ...{ at, actor: by, event, from: previous, to: record.order_status, request_id: book.request_id },
    exception_id: taken.resolves ?? taken.raises?.[0] ?? null,
  });
  send(book, order, row, previous, raised);
}

const exceptionRecord = (id: ExceptionId, raised_at: string): Order["exceptions"][number] => {
  const { name, message } = exceptionRow(id);
  return { id, name, message, raised_at, order_actions: orderActionsOf(id) };
};

/** What a step does besides moving the order. */
function apply(record: Order, event: TransitionEvent, at: string): void {
  if (event === "ship") {
    const example = exampleShippedPrescription.medication_dispenses[0]!.shipment!;
    record.shipments = [{ ...example, shipped_at: at }];
    record.payment.status = "captured";
  }
  if (event === "deliver")
    record.shipments = record.shipments.map((one) => ({ ...one, status: "delivered", delivered_at: at }));
  if (event === "cancel") record.payment.status = "voided";
  for (const { medication_dispenses } of record.medication_requests) {
    for (const dispense of medication_dispenses) dispense.shipment = record.shipments[0] ?? null;
  }
}

function send(
  book: FakeBook,
  order: FakeOrder,
  { sends }: Transition,
  previous_order_status: Order["order_status"] | null,
  raised: Order["exceptions"],
): void {
  const { patient_id, order_number, order_status, medication_requests } = structuredClone(order.record);
  const types = toldInOrder
    .filter((type) => sends.includes(type))
    .filter((type) => type !== "RX_UPDATED" || medication_requests.length > 0);
  if (types.length > 0) order.sequence += 1;
  const about = { patient_id, order_number, sequence: order.sequence };
  for (const type of types) {
    if (type === "ORDER_UPDATED") emit(book, type, { ...about, order_status, previous_order_status });
    else if (type === "RX_UPDATED" || type === "SHIPMENT_UPDATED") emit(book, type, { ...about, medication_requests });
    else if (type === "ORDER_EXCEPTION") {
      for (const exception of raised) emit(book, type, { ...about, exception, order_actions: exception.order_actions });
    }
  }
  const payment = JSON.stringify(order.record.payment);
  if (order.payment_told !== undefined && order.payment_told !== payment)
    emit(book, "PAYMENT_UPDATED", { patient_id, order_number, payment: JSON.parse(payment) });
  order.payment_told = payment;
}

/** The steps of pharmacy and carrier, in the order of the table: the shortest way to a status. */
export function walkTo(book: FakeBook, order: FakeOrder, to: Order["order_status"]): void {
  if (order.state === "On Hold") refuse(42463, "simulation.to");
  const way = to === "Canceled" ? [CANCEL] : wayTo(order.state as OrderState, to);
  if (way === undefined || way.length === 0) refuse(42463, "simulation.to");
  for (const { event, by } of way) take(book, order, event as TransitionEvent, by.find((role) => role !== "carrier")!);
}

const CANCEL = { event: "cancel", by: ["system"] } as const satisfies Pick<Transition, "event" | "by">;

function wayTo(from: OrderState, to: Order["order_status"]): Transition[] | undefined {
  const ways: { state: OrderState; way: Transition[] }[] = [{ state: from, way: [] }];
  const seen = new Set<OrderState>([from]);
  for (const { state, way } of ways) {
    if (statusOfState(state) === to && (way.length > 0 || state === from)) return way;
    for (const row of transitions as readonly Transition[]) {
      const { to: next } = row;
      if (next === "before the hold" || next === "unchanged" || next === "On Hold" || next === "Canceled") continue;
      if (!row.from.includes(state) || seen.has(next)) continue;
      seen.add(next);
      ways.push({ state: next, way: [...way, row] });
    }
  }
  return undefined;
}

/** Raises an exception, as the pharmacy would. */
export function raise(book: FakeBook, order: FakeOrder, id: ExceptionId, by: Role = "system"): void {
  if (order.record.exceptions.some((open) => open.id === id)) refuse(42463, "simulation.exception_id");
  take(book, order, "raise_exception", by, { raises: [id] });
}

/** A partner's action, if the exceptions or the status of the order offer it. */
export function act(book: FakeBook, order: FakeOrder, body: unknown): ActionRequest {
  const event = (body as Partial<ActionRequestInput> | undefined)?.event;
  if (event === undefined) refuseAll([{ code: 42461, field: "event", problem: "missing" }]);
  if (typeof event !== "string" || !isActionKey(event)) refuse(42461, "event");
  refuseAll(problemsOf(actionBody(event), body));
  const { record } = order;
  const given = body as ActionRequestInput;
  const offering = record.exceptions.find(
    ({ id, order_actions }) =>
      (given.exception_id ?? id) === id && order_actions.some(({ event_key }) => event_key === event),
  );
  const allowed = (actions[event].order_statuses as readonly string[]).includes(record.order_status);
  if (offering === undefined && !allowed) refuse(42463, "event");
  perform(book, order, event, given, offering?.id);
  const request: ActionRequest = {
    ...{ id: book.next(), event, order_number: record.order_number, reason_id: given.reason_id ?? null },
    created_at: book.now().toISOString(),
    order: structuredClone(record),
  };
  order.requests.unshift(request);
  return request;
}

function perform(
  book: FakeBook,
  order: FakeOrder,
  event: ActionKey,
  given: ActionRequestInput,
  resolves: ExceptionId | undefined,
): void {
  const { record } = order;
  if (event === "hold") raise(book, order, 64, "partner");
  if (event === "cancel") take(book, order, "cancel", "partner");
  if (event === "refund" || event === "partial_refund") refund(book, order, given);
  if (event === "update_email" && given.email != null) book.patients.get(record.patient_id)!.email = given.email;
  if (event === "update_address" && given.address != null)
    record.address = { ...record.address!, ...addressOf(given.address) };
  if (event === "remove_item") record.items = record.items.filter(({ item_id }) => item_id !== given.item_id);
  if (event === "retry_payment") record.payment.status = "authorized";
  if (resolves !== undefined && event !== "cancel") take(book, order, "resolve", "partner", { resolves });
}

function refund(book: FakeBook, order: FakeOrder, { reason_id, amount_cents }: ActionRequestInput): void {
  const { payment } = order.record;
  if (!orderStatusReasons.some(({ id }) => id === reason_id)) refuse(42430, "reason_id");
  const left = payment.amount_cents - payment.refunded_cents;
  const amount = amount_cents ?? left;
  if (amount > left || left === 0) refuse(42463, "amount_cents");
  payment.refunded_cents += amount;
  if (payment.refunded_cents === payment.amount_cents) payment.status = "refunded";
  take(book, order, "refund", "partner");
}
