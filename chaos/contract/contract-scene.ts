import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { OperationId, Patient } from "@pestle/contract";
import type { Demo } from "../../server/src/seed/demo-file.ts";
import { bundle } from "../../server/test/support/samples/fhir-samples.ts";
import { sample } from "../../server/test/support/samples/script-samples.ts";
import { ask, insist } from "../ask.ts";
import { intakeToken, issue, partnerToken, tokenOf } from "../client.ts";
import { withOwnId } from "../mutated.ts";

type Json = Record<string, unknown>;
/** Records that a request can refer to. */
export type Live = { path: Record<string, string>; body?: unknown; query?: Record<string, string> };
export type Scene = {
  demo: Demo;
  tokens: { partners: string; intake: string };
  /** A request that should succeed, about records created for it or, if possible, reused from before. */
  ready(operation: OperationId, example: unknown, fresh?: boolean): Promise<Live>;
  /** Ids of existing records, for requests that need not succeed. */
  known: Record<string, string[]>;
};

const DEADLINE_MS = 60_000;
const UNITS = 30;
/** A request of this campaign rarely disturbs a preparation, and hardly ever all of these. */
const MOST_TRIES = 5;
/** Requests in flight may refer to the newest endpoints. */
const MOST_BUSY = 10;

/** A sandbox account with patients, orders in many states, endpoints and events, all created through the API. */
export async function openScene(demo: Demo): Promise<Scene> {
  const tokens = { partners: await partnerToken(demo), intake: await intakeToken(demo) };
  const known: Scene["known"] = {
    patient_id: [],
    address_id: ["1"],
    entry_id: ["1"],
    order_number: [],
    id: [],
    event_id: [],
    schedule_id: [],
    // A month without a statement.
    month: ["1999-12"],
    prescription_id: ["1"],
    request_id: ["5f0c2b1e-8a4d-4c63-9b7f-2d1e6a90c4b8"],
    renewal_request_id: ["019a8b6e-4c55-7d3c-9a1e-2f0b6c1d7e42"],
  };
  const prepared = new Map<OperationId, Live>();
  let made = 0;

  const call = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const headers = {
      authorization: `Bearer ${tokens.partners}`,
      accept: "application/json",
      // A repeated request must not find that the first one, whose answer was lost, already did the work.
      ...(method === "POST" && { "idempotency-key": randomUUID() }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const reply = await insist(() => ask(`${demo.base_url}${path}`, init), DEADLINE_MS);
    if (reply.status > 299) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return JSON.parse(reply.text || "{}") as Json;
  };
  const simulate = (simulation_type: string, simulation: Json) =>
    call("POST", "/simulate", { simulation_type, simulation });
  const remember = (name: string, id: unknown) => {
    known[name]!.push(String(id));
    return String(id);
  };

  const unknownPatient = async () => {
    const found = await simulate("prescription", { drug_name: "Atorvastatin 20 mg tablet", written_qty: UNITS });
    return { patient_id: String(found["patient_id"]), prescription_id: found["prescription_id"] };
  };
  const newPatient = async () => {
    const patient = await unknownPatient();
    remember("patient_id", patient.patient_id);
    return patient;
  };
  const orderOf = ({ patient_id, prescription_id }: Awaited<ReturnType<typeof newPatient>>) => ({
    reference: `contract-${made++}`,
    shipping: { method_id: 1 },
    patient: { patient_id },
    items: [{ prescription_id, quantity: 1, package_size: UNITS }],
  });
  const preparedOrder = async (prepare?: (order_number: string) => Promise<unknown>) => {
    const patient = await unknownPatient();
    const { order_number } = await call("POST", "/orders", orderOf(patient));
    await prepare?.(String(order_number));
    return { patient_id: patient.patient_id, order_number };
  };
  /** Another request can move the account's clock, so that a prescription expires meanwhile: then it needs a new try. */
  const withRetries = async <Made>(make: () => Promise<Made>): Promise<Made> => {
    for (let tries = 1; ; tries++) {
      try {
        return await make();
      } catch (error) {
        if (tries === MOST_TRIES) throw error;
      }
    }
  };
  /**
   * Other requests may act on a remembered order, or hold it by a fact about its remembered patient. The scene
   * remembers both once the order is in the state that its caller needs.
   */
  const newOrder = async (prepare?: (order_number: string) => Promise<unknown>) => {
    const made_order = await withRetries(() => preparedOrder(prepare));
    remember("patient_id", made_order.patient_id);
    return remember("order_number", made_order.order_number);
  };
  const movedTo = (to: string) => (order_number: string) => simulate("order", { order_number, to });
  const held = (order_number: string) =>
    call("POST", `/orders/${order_number}/partner_order_action_requests`, { event: "hold" });
  const asked = (order_number: string) =>
    simulate("message", { order_number, text: "Did you mean to order 90 tablets?", exception_id: 79 });
  /** A prescription whose order has shipped, and whose prescriber never answers. */
  const filledPrescription = () => withRetries(fillPrescription);
  const fillPrescription = async () => {
    const written = { drug_name: "Atorvastatin 20 mg tablet", written_qty: UNITS, prescriber_name: "Sam Silent" };
    const found = await simulate("prescription", written);
    const patient = { patient_id: String(found["patient_id"]), prescription_id: found["prescription_id"] };
    const { order_number } = await call("POST", "/orders", orderOf(patient));
    const { order_status } = await movedTo("Shipped")(String(order_number));
    if (order_status !== "Shipped") throw new Error(`the order is ${order_status}`);
    return String(patient.prescription_id);
  };
  /** The service writes its log about once a second. */
  const loggedRequest = async () => {
    for (const end = Date.now() + DEADLINE_MS; Date.now() < end; await delay(100)) {
      const { requests } = (await call("GET", "/requests?limit=1")) as { requests: { request_id: string }[] };
      if (requests.length > 0) return remember("request_id", requests[0]!.request_id);
    }
    throw new Error("no request is in the log");
  };
  const scheduleOf = async (example: Json) => {
    const { patient_id, prescription_id } = await newPatient();
    const consent = { given_at: "2026-01-01T08:00:00Z", method: "electronic" };
    return { ...example, patient_id, prescription_id, shipping: { method_id: 1 }, every_days: 30, consent };
  };
  const newSchedule = async (action?: string) => {
    const { schedule_id } = await call("POST", "/refill_schedules", await scheduleOf({}));
    if (action !== undefined) await call("POST", `/refill_schedules/${schedule_id}/${action}`, {});
    return remember("schedule_id", schedule_id);
  };
  const onSchedule = (action?: string) => async (body: Json) => ({
    path: { schedule_id: await newSchedule(action) },
    body,
  });
  // Subscribed to almost nothing, because this campaign does not check deliveries.
  const quiet = { url: `${demo.base_url}/hook`, events: ["ENDPOINT_DISABLED"] };
  const newEndpoint = async () => {
    const make = () => call("POST", "/webhook_endpoints", { ...quiet, secret: "mine" });
    const { id } = await make().catch(async () => {
      // An account has a limited number. Keep those that other requests need.
      const { webhook_endpoints } = (await call("GET", "/webhook_endpoints")) as {
        webhook_endpoints: { id: string }[];
      };
      const idle = webhook_endpoints.filter((endpoint) => !known["id"]!.includes(endpoint.id));
      for (const endpoint of idle.slice(MOST_BUSY)) await call("DELETE", `/webhook_endpoints/${endpoint.id}`);
      return make();
    });
    return String(id);
  };
  const newEvent = async () =>
    remember("event_id", (await simulate("event", { event_type: "RX_RECEIVED" }))["event_id"]);
  // Token requests use the other sandbox partner, because too many wrong secrets lock a client out for a while.
  const [, asking] = demo.partners;
  const client = { client_id: asking!.client_id, client_secret: asking!.client_secret };
  const newToken = async () => {
    const reply = await issue(demo, asking!);
    return reply?.status === 200 ? tokenOf(reply) : "none";
  };

  const ready: Partial<Record<OperationId, (example: Json) => Promise<Omit<Live, "path"> & { path?: Live["path"] }>>> =
    {
      createOrder: async (example) => ({ body: { ...example, ...orderOf(await newPatient()) } }),
      createReorder: async (body) => ({ path: { order_number: await newOrder(movedTo("Delivered")) }, body }),
      requestOrderAction: async (body) => ({ path: { order_number: await newOrder(held) }, body }),
      listOrderMessages: async () => ({ path: { order_number: await newOrder(asked) } }),
      sendOrderMessage: async (body) => {
        let question: Json = {};
        const order_number = await newOrder(async (number) => {
          question = await asked(number);
        });
        return { path: { order_number }, body: { ...body, in_reply_to: question["message_id"] } };
      },
      createRenewalRequest: async (body) => ({ path: { prescription_id: await filledPrescription() }, body }),
      getRenewalRequest: async () => {
        const prescription_id = await filledPrescription();
        const { renewal_request_id } = await call("POST", `/prescriptions/${prescription_id}/renewal_requests`, {});
        return { path: { prescription_id, renewal_request_id: String(renewal_request_id) } };
      },
      getRequest: async () => ({ path: { request_id: await loggedRequest() } }),
      createRefillSchedule: async (example) => ({ body: await scheduleOf(example) }),
      getRefillSchedule: async () => ({ path: { schedule_id: await newSchedule() } }),
      skipRefill: onSchedule(),
      pauseRefillSchedule: onSchedule(),
      resumeRefillSchedule: onSchedule("pause"),
      cancelRefillSchedule: onSchedule(),
      fillRefillNow: onSchedule(),
      replaceOrderAddress: async (body) => ({ path: { order_number: await newOrder() }, body }),
      removeShippingAddress: async () => {
        const { patient_id } = await newPatient();
        const address = {
          first_name: "Rosa",
          last_name: "Quill",
          street1: "88 Alder Ct",
          city: "Oakland",
          state: "CA",
        };
        const { address_id } = await call("POST", `/patients/${patient_id}/shipping_address`, {
          ...address,
          zip: "94612",
        });
        return { path: { patient_id, address_id: String(address_id) } };
      },
      removeSafetyEntry: async (body) => {
        const { patient_id } = await newPatient();
        const sent = { patient_safety: { medications: ["melatonin"] } };
        const { patient_safety } = (await call("PATCH", `/patients/${patient_id}`, sent)) as unknown as Patient;
        return { path: { patient_id, entry_id: String(patient_safety.entries.at(-1)!.entry_id) }, body };
      },
      createWebhookEndpoint: async (body) => ({ body: { ...body, ...quiet } }),
      removeWebhookEndpoint: async () => ({ path: { id: await newEndpoint() } }),
      simulate: async () => ({
        body: { simulation_type: "order", simulation: { order_number: await newOrder(), to: "Shipped" } },
      }),
      receiveScript: async () => ({
        body: Buffer.from(withOwnId(made++, { format: "script", body: Buffer.from(sample) })).toString(),
      }),
      receiveFhir: async () => ({
        body: JSON.parse(
          Buffer.from(withOwnId(made++, { format: "fhir", body: Buffer.from(JSON.stringify(bundle())) })).toString(),
        ),
      }),
      issueToken: async (body) => ({ body: { ...body, ...client } }),
      revokeToken: async () => ({ body: { token: await newToken(), ...client } }),
      introspectToken: async () => ({ body: { token: await newToken(), ...client } }),
    };

  await newOrder();
  for (const to of ["Filling", "Shipped", "Delivered", "Canceled"]) await newOrder(movedTo(to));
  const { statements } = (await call("GET", "/statements")) as { statements: { month: string }[] };
  remember("month", statements[0]!.month);
  await newOrder(held);
  remember("id", await newEndpoint());
  await newEvent();

  return {
    demo,
    tokens,
    known,
    async ready(operation, example, fresh = false) {
      const before = prepared.get(operation);
      if (before !== undefined && !fresh) return before;
      const path = Object.fromEntries(Object.entries(known).map(([name, ids]) => [name, ids.at(-1)!]));
      // An address belongs to a patient, and every patient has a first address.
      const live = await ready[operation]?.(example as Json);
      const made_ready = { body: example, ...live, path: { ...path, ...live?.path } };
      prepared.set(operation, made_ready);
      return made_ready;
    },
  };
}
