import {
  type ExceptionId,
  endpoints,
  exampleQuote,
  type JsonSchema,
  orderActions,
  orderStatusReasons,
  SimulatedOrder,
  SimulatedPrescription,
  WebhookEndpointInput,
} from "@pestle/contract/partner";
import type {
  CreatedWebhookEndpoint,
  OrderRequest,
  SimulatedPrescription as PrescriptionFields,
  ShippingMethod,
  WebhookEndpoint,
  WebhookEventRecord,
} from "../generated/records.ts";
import type { PartnerOperation } from "../operations.ts";
import { problemsOf } from "./check-body.ts";
import { emit, type FakeBook, type FakeEndpoint, receivePrescription } from "./fake-book.ts";
import { act, createOrder, orderOf, orderProblems, raise, walkTo } from "./fake-orders.ts";
import { errorEntries, type Problem, refuse, refuseAll, refuseWith } from "./refusal.ts";

/** One request to the fake pharmacy. */
export type FakeCall = {
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: unknown;
  /** Exceptions that the next order gets. */
  takeHolds(): ExceptionId[];
  client_id: string;
  advance(seconds: number): void;
};
type FakeAnswer = { status: number; body?: unknown };
type Play = (book: FakeBook, call: FakeCall) => FakeAnswer;

const answered = (body: unknown, status = 200): FakeAnswer => ({ status, body: structuredClone(body) });
/** The example in the contract's row of a list that never changes. */
const exampleOf = (operation_id: PartnerOperation): unknown =>
  (endpoints.find((row) => row.operation_id === operation_id)!.responses as Record<number, { example: unknown }>)[200]!
    .example;
const fixed =
  (operation_id: PartnerOperation): Play =>
  () =>
    answered(exampleOf(operation_id));
const shippingIds = () =>
  (exampleOf("listShippingMethods") as { shipping_methods: ShippingMethod[] }).shipping_methods.map(({ id }) => id);

/** The operations that the fake pharmacy plays. It answers 501 to any other. */
export const plays: { readonly [Id in PartnerOperation]?: Play } = {
  listShippingMethods: fixed("listShippingMethods"),
  listBrands: fixed("listBrands"),
  listProducts: fixed("listProducts"),
  listOrderActions: () => answered({ order_actions: orderActions }),
  listOrderStatusReasons: () => answered({ order_status_reasons: orderStatusReasons }),
  getPatient: (book, { path }) => answered(book.patients.get(path["patient_id"]!) ?? refuseWith(404)),
  listPatientPrescriptions(book, { path }) {
    const { patient_id } = path;
    if (!book.patients.has(patient_id!)) refuseWith(404);
    const own = [...book.prescriptions.values()].filter((one) => one.patient_id === patient_id);
    return answered({ medication_request: own.reverse() });
  },
  createOrder(book, { body, query, takeHolds }) {
    const problems = orderProblems(book, body, shippingIds());
    if (query.get("dry_run") === "true") return dryRun(book, body, problems);
    refuseAll(problems);
    return answered(createOrder(book, body as OrderRequest, takeHolds()).record, 201);
  },
  listOrders(book, { query }) {
    const found = [...book.orders.values()].reverse().filter(({ record }) =>
      [...query].every(([name, value]) => {
        if (name === "limit" || name === "cursor") return true;
        if (name === "prescription_id") return record.items.some((item) => String(item.prescription_id) === value);
        if (name === "exception_id") return record.exceptions.some(({ id }) => String(id) === value);
        if (name === "created_after") return record.created_at >= value;
        if (name === "created_before") return record.created_at < value;
        if (name === "updated_after") return record.updated_at >= value;
        return String(record[name as keyof typeof record]) === value;
      }),
    );
    const { page, next_cursor } = pageOf(found, query);
    return answered({ orders: page.map(({ record }) => record), next_cursor });
  },
  getOrder: (book, { path }) => answered(orderOf(book, path["order_number"]!).record),
  listOrderHistory(book, { path, query }) {
    const { page, next_cursor } = pageOf(orderOf(book, path["order_number"]!).history, query);
    return answered({ history: page, next_cursor });
  },
  requestOrderAction: (book, { path, body }) => answered(act(book, orderOf(book, path["order_number"]!), body), 201),
  listOrderActionRequests(book, { path }) {
    const { requests, record } = orderOf(book, path["order_number"]!);
    return answered({ partner_order_action_requests: requests.map((one) => ({ ...one, order: record })) });
  },
  createWebhookEndpoint(book, { body, client_id }) {
    refuseAll(problemsOf(WebhookEndpointInput, body));
    return answered(addEndpoint(book, body as Parameters<typeof addEndpoint>[1], client_id), 201);
  },
  listWebhookEndpoints: (book) => answered({ webhook_endpoints: [...book.endpoints.values()].map(shown) }),
  getWebhookEndpoint: (book, { path }) => answered(shown(endpointOf(book, path["id"]!))),
  removeWebhookEndpoint(book, { path }) {
    book.endpoints.delete(endpointOf(book, path["id"]!).id);
    return { status: 204 };
  },
  listWebhookEvents(book, { query }) {
    const kept = book.events.map((event, index) => ({ event, index })).slice(Number(query.get("cursor") ?? 0));
    const named = (name: string) => query.get(name);
    const found = kept.filter(({ event: { body } }) =>
      (["event_type", "patient_id", "order_number"] as const).every(
        (name) => named(name) === null || (body as Record<string, unknown>)[name] === named(name),
      ),
    );
    const limit = Number(query.get("limit") ?? 25);
    const page = found.slice(0, limit);
    const more = found.length > page.length;
    const end_cursor = String(more ? page.at(-1)!.index + 1 : book.events.length);
    const webhook_events = page.map(({ event }) => eventRecord(event));
    return answered({ webhook_events, next_cursor: more ? end_cursor : null, end_cursor });
  },
  getWebhookEvent(book, { path }) {
    const event = book.events.find(({ body }) => body.event_id === path["event_id"]) ?? refuseWith(404);
    return answered(eventRecord(event));
  },
  simulate: (book, call) => answered(simulated(book, call), 202),
};

function dryRun(book: FakeBook, body: unknown, problems: readonly Problem[]): FakeAnswer {
  const errors = errorEntries(problems);
  if (errors.length > 0)
    return answered({ would_create: false, errors, exceptions: [], conflict: null, order: null, quote: null });
  // Played on a copy, which is then forgotten.
  const { record } = createOrder(copyOf(book), body as OrderRequest, []);
  const order = {
    ...record,
    order_number: null,
    medication_requests: record.medication_requests.map((one) => ({
      ...one,
      medication_dispenses: one.medication_dispenses.map((dispense) => ({ ...dispense, order_number: null })),
    })),
  };
  const held = record.exceptions.length > 0;
  const quote = { ...exampleQuote, ...(held && { ships_by: null, arrives_by: null }) };
  return answered({ would_create: true, errors, exceptions: record.exceptions, conflict: null, order, quote });
}

const copyOf = (book: FakeBook): FakeBook => ({
  ...book,
  ...{ orders: new Map(book.orders), endpoints: new Map(), events: [] },
});

/** A cursor is the number of entries before the page. */
function pageOf<Item>(items: readonly Item[], query: URLSearchParams): { page: Item[]; next_cursor: string | null } {
  const from = Number(query.get("cursor") ?? 0);
  const to = from + Number(query.get("limit") ?? 25);
  return { page: items.slice(from, to), next_cursor: to < items.length ? String(to) : null };
}

/** Registers an endpoint. */
export function addEndpoint(
  book: FakeBook,
  given: { url: string; secret: string; events?: WebhookEndpoint["events"]; description?: string | null },
  client_id: string,
): CreatedWebhookEndpoint {
  const at = book.now().toISOString();
  const key = crypto.getRandomValues(new Uint8Array(24));
  const endpoint: FakeEndpoint = {
    id: crypto.randomUUID(),
    url: given.url,
    events: given.events ?? [],
    status: "active",
    signing_credential_id: client_id,
    description: given.description ?? null,
    ...{ disabled_reason: null, disabled_at: null, created_at: at, updated_at: at },
    secret: given.secret,
    signing_secret: `whsec_${btoa(String.fromCharCode(...key))}`,
  };
  book.endpoints.set(endpoint.id, endpoint);
  return { ...shown(endpoint), signing_secret: endpoint.signing_secret };
}

const endpointOf = (book: FakeBook, id: string): FakeEndpoint => book.endpoints.get(id) ?? refuseWith(404);
const shown = ({ secret: _secret, signing_secret: _signing, ...endpoint }: FakeEndpoint): WebhookEndpoint => endpoint;

function eventRecord({ body, created_at, deliveries }: FakeBook["events"][number]): WebhookEventRecord {
  const { patient_id = null, order_number = null } = body as { patient_id?: string; order_number?: string };
  return {
    ...{ event_id: body.event_id, event_type: body.event_type, patient_id, order_number, created_at },
    body: { ...body },
    deliveries: deliveries.map(({ endpoint, attempts, delivered }) => ({
      endpoint_id: endpoint.id,
      status: delivered ? "delivered" : "pending",
      attempts,
      next_attempt_at: delivered ? null : created_at,
    })),
  };
}

type Asked = { simulation_type?: string; simulation?: Record<string, unknown> };

function simulated(book: FakeBook, { body, advance }: FakeCall): unknown {
  const { simulation_type, simulation = {} } = (body ?? {}) as Asked;
  const check = (schema: JsonSchema) => refuseAll(problemsOf(schema, simulation, "simulation"));
  if (simulation_type === "prescription") {
    check(SimulatedPrescription);
    const { patient_id, prescription_id } = receivePrescription(book, simulation as PrescriptionFields);
    return { patient_id, prescription_id };
  }
  if (simulation_type === "order") {
    check(SimulatedOrder);
    const order = orderOf(book, String(simulation["order_number"]));
    if (simulation["exception_id"] !== undefined) raise(book, order, simulation["exception_id"] as ExceptionId);
    else walkTo(book, order, simulation["to"] as "Filling");
    const { order_number, order_status } = order.record;
    return { order_number, order_status };
  }
  if (simulation_type === "event") {
    const { event_type, ...fields } = simulation;
    return { event_id: emit(book, event_type as "RX_RECEIVED", fields as never).event_id };
  }
  if (simulation_type === "clock") {
    advance(Number(simulation["advance_seconds"]));
    return { now: book.now().toISOString() };
  }
  return refuse(42200, "simulation_type");
}
