import { answersMinimal, endpoints } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { goodAddress, goodDocument } from "../../server/test/support/patient.ts";
import { startTestApp, type TestApp } from "../../server/test/support/test-app.ts";
import {
  createPestle,
  type OrderRequest,
  type PartnerOperation,
  type Pestle,
  type PestleError,
  type PestleOptions,
} from "../src/index.ts";
import { createFakePharmacy, type Exchange, recordTransport } from "../src/testing.ts";
import { optionsOf } from "./support/client-of.ts";
import { failure } from "./support/failure.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const partnerRows = endpoints.filter(({ server }) => server === "partner");

/** A client that records each method call and each request. */
function watched() {
  const called = new Set<string>();
  const sent: string[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    const path = new URL(String(url)).pathname;
    if (path.startsWith("/v1/")) sent.push(`${init?.method} ${path.slice(3)} ${response.status}`);
    return response;
  };
  const watch = <Part extends object>(part: Part, name: string): Part =>
    new Proxy(part, {
      get(target, key) {
        const value = Reflect.get(target, key) as unknown;
        const path = name === "" ? String(key) : `${name}.${String(key)}`;
        if (typeof value === "function") called.add(path);
        return typeof value === "object" && value !== null ? watch(value, path) : value;
      },
    });
  const bare = createPestle({ ...optionsOf(app), fetch });
  return { bare, pestle: watch(bare, ""), called, sent };
}

const methodsOf = (part: object, name = ""): string[] =>
  Object.entries(part).flatMap(([key, value]) => {
    const path = name === "" ? key : `${name}.${key}`;
    return typeof value === "function" ? [path] : methodsOf(value as object, path);
  });

test("every partner operation of the contract has a method, and the server answers it as its row says", async () => {
  const { bare, pestle, called, sent } = watched();
  const { patient_id, prescription_id } = await pestle.simulate.prescription({
    drug_name: "atorvastatin",
    written_qty: 30,
    refills_left: 5,
    patient: { address: { street1: "1400 Alder Ct", city: "Sacramento", state: "CA", zip: "95814" } },
  });
  const order: OrderRequest = {
    reference: "inv-1",
    shipping: { method_id: 1 },
    patient: { patient_id: patient_id },
    items: [{ prescription_id: prescription_id }],
  };
  const { order_number } = await pestle.orders.create(order);
  const url = "http://127.0.0.1:1/hook";
  const { id } = await pestle.webhookEndpoints.create({ url, secret: "a secret" });
  const [event] = await pestle.events.list().take(1);
  const { event_id } = event!;
  const address = await pestle.patients.addAddress(patient_id, goodAddress);
  let schedule_id = "";
  const held = () => pestle.orders.hold(order_number);

  let renewal_request_id = "";

  // In an order in which each call can succeed.
  const calls: Record<PartnerOperation, () => Promise<unknown>> = {
    listShippingMethods: () => pestle.shippingMethods(),
    listBrands: () => pestle.brands(),
    listProducts: () => pestle.products({ sku: ["atorvastatin-20"] }),
    listOrderActions: () => pestle.orderActions(),
    listOrderStatusReasons: () => pestle.orderStatusReasons(),
    getPatient: () => pestle.patients.get(patient_id),
    updatePatient: () => pestle.patients.update(patient_id, { phone: "4155550134" }),
    removeSafetyEntry: async () => {
      const known = await pestle.patients.update(patient_id, { patient_safety: { medications: ["melatonin"] } });
      const { entry_id } = known.patient_safety.entries.at(-1)!;
      return pestle.patients.removeSafetyEntry(patient_id, entry_id, "The patient stopped taking it.");
    },
    listPatientPrescriptions: () => pestle.patients.prescriptions(patient_id, { active: true }),
    addShippingAddress: () => pestle.patients.addAddress(patient_id, { ...goodAddress, first_name: "Odalys" }),
    removeShippingAddress: () => pestle.patients.removeAddress(patient_id, address.address_id),
    addIdentityDocument: () => pestle.patients.addIdentityDocument(patient_id, { ...goodDocument, type: "DL" }),
    createOrder: () => pestle.orders.dryRun({ ...order, reference: "inv-2" }),
    listOrders: () => pestle.orders.list({ patient_id: patient_id, limit: 5 }).firstPage(),
    getOrder: () => pestle.orders.get(order_number),
    listOrderHistory: () => pestle.orders.history(order_number, { limit: 5 }).take(3),
    replaceOrderAddress: () => pestle.orders.replaceAddress(order_number, goodAddress),
    requestOrderAction: held,
    listOrderActionRequests: () => pestle.orders.actionRequests(order_number),
    listOrderMessages: () => pestle.orders.messages(order_number, { limit: 5 }).firstPage(),
    sendOrderMessage: () => pestle.orders.sendMessage(order_number, { text: "Ship it before Friday, please." }),
    simulate: async () => {
      await pestle.orders.release(order_number);
      return pestle.simulate.order({ order_number, to: "Delivered" });
    },
    createRenewalRequest: async () => {
      const asked = await pestle.prescriptions.requestRenewal(prescription_id, { refills: 2 });
      renewal_request_id = asked.renewal_request_id;
    },
    getRenewalRequest: () => pestle.prescriptions.renewalRequest(prescription_id, renewal_request_id),
    listContinuity: () => pestle.continuity({ within_days: 90, limit: 5 }).firstPage(),
    listStatements: () => pestle.statements.list({ limit: 5 }).firstPage(),
    getStatement: async () => {
      const [newest] = await pestle.statements.list().take(1);
      return pestle.statements.get(newest!.month, { limit: 5 });
    },
    listRequests: () => pestle.requests.list({ status: "2xx", limit: 5 }).firstPage(),
    getRequest: async () => {
      // The service writes its log about once a second.
      const logged = () => pestle.requests.list({ path: "/statements" }).take(1);
      await expect.poll(logged, { timeout: 60_000 }).not.toEqual([]);
      return pestle.requests.get((await logged())[0]!.request_id);
    },
    createRefillSchedule: async () => {
      const consent = { given_at: "2026-01-01T08:00:00Z", method: "electronic" as const };
      const body = { patient_id, prescription_id, shipping: { method_id: 1 }, every_days: 30, consent };
      schedule_id = (await pestle.refillSchedules.create(body)).schedule_id;
    },
    listRefillSchedules: () => pestle.refillSchedules.list({ patient_id, limit: 5 }).firstPage(),
    getRefillSchedule: () => pestle.refillSchedules.get(schedule_id),
    skipRefill: () => pestle.refillSchedules.skip(schedule_id),
    pauseRefillSchedule: () => pestle.refillSchedules.pause(schedule_id),
    resumeRefillSchedule: () => pestle.refillSchedules.resume(schedule_id),
    fillRefillNow: () => pestle.refillSchedules.fillNow(schedule_id),
    cancelRefillSchedule: async () => {
      const { last_order_number } = await pestle.refillSchedules.get(schedule_id);
      await pestle.orders.cancel(last_order_number!);
      return pestle.refillSchedules.cancel(schedule_id);
    },
    createReorder: () => pestle.orders.reorder(order_number, { reference: "inv-3" }),
    createWebhookEndpoint: () => pestle.webhookEndpoints.create({ url: `${url}/2`, secret: "another" }),
    listWebhookEndpoints: () => pestle.webhookEndpoints.list(),
    getWebhookEndpoint: () => pestle.webhookEndpoints.get(id),
    updateWebhookEndpoint: () => pestle.webhookEndpoints.update(id, { description: "orders" }),
    testWebhookEndpoint: () => pestle.webhookEndpoints.test(id, { event_type: "ORDER_EXCEPTION" }),
    redeliverFailedWebhooks: () => pestle.webhookEndpoints.redeliverFailed(id, { since: "2026-01-01", missed: true }),
    getWebhookStatistics: () => pestle.webhookEndpoints.statistics(id),
    listWebhookEvents: () => pestle.events.list({ order_number }).firstPage(),
    getWebhookEvent: () => pestle.events.get(event_id),
    listWebhookAttempts: () => pestle.events.attempts(event_id).firstPage(),
    redeliverWebhookEvent: () => pestle.events.redeliver(event_id, { endpoint_id: id }),
    removeWebhookEndpoint: () => pestle.webhookEndpoints.remove(id),
  };
  expect(Object.keys(calls).sort()).toEqual(partnerRows.map(({ operation_id }) => operation_id).sort());
  for (const [operation_id, call] of Object.entries(calls)) {
    sent.length = 0;
    await call();
    const { method, path, responses } = partnerRows.find((row) => row.operation_id === operation_id)!;
    const [, ...answered] = new RegExp(
      `^(${method} ${path.replace(/\{\w+\}/g, "[^/]+")} (${Object.keys(responses).join("|")}))$`,
    ).exec(sent.at(-1)!) ?? [""];
    expect([operation_id, answered[0]]).toEqual([operation_id, sent.at(-1)]);
  }

  // Methods that are not operations themselves.
  const rest: Record<string, (pestle: Pestle) => Promise<unknown>> = {
    find: async ({ orders }) => expect(await orders.find(order)).toMatchObject({ order_number }),
    follow: async ({ events }) => {
      for await (const { cursor } of events.follow({ order_number })) return expect(cursor).toEqual(expect.any(String));
    },
    act: async ({ orders }) => {
      const second = (await orders.list().take(1))[0]!.order_number;
      await orders.act(second, { event: "hold" });
      const { order: canceled } = await orders.cancel(second);
      expect(canceled.order_status).toBe("Canceled");
    },
    refund: async ({ orders }) => {
      const part = await orders.refund(order_number, { reason_id: 101, amount_cents: 5 });
      const all = await orders.refund(order_number, { reason_id: 105 });
      expect([part.event, all.event, all.order.payment.status]).toEqual(["partial_refund", "refund", "refunded"]);
    },
    lines: async ({ statements }) => {
      const [newest] = await statements.list().take(1);
      const lines = await statements.lines(newest!.month, { limit: 1 }).take(10);
      expect(lines.map(({ kind }) => kind)).toEqual(["item", "shipment", "refund", "refund"]);
    },
    clock: async ({ simulate }) => expect((await simulate.clock({ advance_seconds: 60 })).now).toMatch(/Z$/),
    message: async ({ simulate, orders }) => {
      const { message_id } = await simulate.message({ order_number, text: "Was the parcel intact?" });
      expect(await orders.messages(order_number).take(1)).toMatchObject([{ message_id, author: "pharmacy" }]);
    },
    event: async ({ simulate }) => {
      const told = await simulate.event({ event_type: "RX_RECEIVED", patient_id: "anybody", medication_requests: [] });
      expect(told.event_id).toMatch(/^[0-9a-f-]{36}$/);
    },
    switchSigning: async ({ webhookEndpoints }) => {
      const [endpoint] = await webhookEndpoints.list();
      const { client_id } = app.demo.partners[0]!;
      expect(await webhookEndpoints.switchSigning(endpoint!.id, client_id)).toMatchObject({ id: endpoint!.id });
    },
    request: ({ request }) => request("GET", "/v1/brands"),
  };
  for (const use of Object.values(rest)) await use(pestle);
  expect(methodsOf(bare).filter((method) => !called.has(method))).toEqual([]);
});

test("with `minimal`, every change of a record returns nothing, and the types say so", async () => {
  const { bare: pestle, sent } = watched();
  const { patient_id, prescription_id } = await pestle.simulate.prescription({ drug_name: "atorvastatin" });
  const items = [{ prescription_id }];
  const order = await pestle.orders.create({ shipping: { method_id: 1 }, patient: { patient_id }, items });
  const { id } = await pestle.webhookEndpoints.create({ url: "http://127.0.0.1:1/small", secret: "a secret" });
  const { client_id } = app.demo.partners[0]!;
  const short = { minimal: true } as const;
  sent.length = 0;
  const answers: undefined[] = [
    await pestle.patients.update(patient_id, { phone: "4155550177" }, short),
    await pestle.orders.replaceAddress(order.order_number, goodAddress, short),
    await pestle.webhookEndpoints.update(id, { description: "short" }, short),
    await pestle.webhookEndpoints.switchSigning(id, client_id, short),
  ].map((answer) => answer as undefined);
  expect(answers).toEqual([undefined, undefined, undefined, undefined]);
  expect(sent.map((line) => line.split(" ").at(-1))).toEqual(["204", "204", "204", "204"]);
  const covered = sent.map((line) => line.split("/")[1]);
  const rows = partnerRows.filter(answersMinimal).map(({ path }) => path.split("/")[1]);
  expect(new Set(covered)).toEqual(new Set(rows));
  // Without it, the changed record.
  const kept = await pestle.patients.update(patient_id, { phone: "4155550178" }, { minimal: false });
  expect(kept.phone).toBe("4155550178");
  // @ts-expect-error
  const compiled = async () => (await pestle.patients.update(patient_id, {}, short)).phone;
  expect(compiled).toBeTypeOf("function");
});

test("an action without a required field, or with another action's field, does not compile", () => {
  const { act } = createPestle(optionsOf(app)).orders;
  const compiled = () => [
    act("7K2M9XQ4TB", { event: "update_email", email: "rosa@mail.example" }),
    act("7K2M9XQ4TB", { event: "verify", exception_id: 71, dob: "1984-06-02" }),
    act("7K2M9XQ4TB", { event: "partial_refund", reason_id: 101, amount_cents: 5 }),
    // @ts-expect-error
    act("7K2M9XQ4TB", { event: "update_email" }),
    // @ts-expect-error
    act("7K2M9XQ4TB", { event: "refund" }),
    // @ts-expect-error
    act("7K2M9XQ4TB", { event: "release", email: "rosa@mail.example" }),
  ];
  expect(compiled).toBeTypeOf("function");
});

test("an id that a URL would treat as a folder is rejected without a request", async () => {
  const { bare: pestle, sent } = watched();
  for (const id of ["", ".", ".."]) {
    expect(await failure(pestle.orders.get(id))).toMatchObject({ message: "order_number must be an id." });
  }
  expect(await failure(pestle.patients.get("a/../b?c"))).toMatchObject({ status: 404 });
  expect(sent).toEqual(["GET /patients/a%2F..%2Fb%3Fc 404"]);
});

/** The same calls for the service and for the fake pharmacy. Returns what a partner's program decides by. */
async function journey(options: PestleOptions) {
  const { fetch, exchanges } = recordTransport(options.fetch);
  const pestle = createPestle({ ...options, fetch });
  await pestle.shippingMethods();
  await pestle.brands();
  await pestle.products({ sku: ["atorvastatin-20"] });
  await pestle.orderActions();
  await pestle.orderStatusReasons();
  const endpoint = await pestle.webhookEndpoints.create({ url: "http://127.0.0.1:1/both", secret: "a secret" });
  await pestle.webhookEndpoints.get(endpoint.id);
  const { patient_id, prescription_id } = await pestle.simulate.prescription({ drug_name: "atorvastatin" });
  await pestle.patients.get(patient_id);
  await pestle.patients.prescriptions(patient_id);
  const request = { shipping: { method_id: 1 }, patient: { patient_id }, items: [{ prescription_id }] };
  await pestle.orders.dryRun({ ...request, shipping: { method_id: 99 } });
  await pestle.orders.dryRun(request);
  const { order_number } = await pestle.orders.create(request, { idempotency_key: `both-${patient_id}` });
  const refused = [
    await failure(pestle.orders.create({} as OrderRequest)),
    await failure(pestle.orders.create({ ...request, items: [{ prescription_id: 1 }] })),
    await failure(pestle.orders.create({ ...request, sipping: {} } as OrderRequest)),
    await failure(pestle.orders.create({ ...request, reference: "b" }, { idempotency_key: `both-${patient_id}` })),
    await failure(pestle.orders.create(request)),
    await failure(pestle.orders.release(order_number)),
    await failure(pestle.orders.act(order_number, { event: "fly" } as never)),
    await failure(pestle.orders.refund(order_number, { reason_id: 101 })),
    await failure(pestle.orders.get("0000000000")),
    await failure(pestle.simulate.order({ order_number, to: "Processing" as "Filling" })),
  ].map((error) => {
    const { kind, status, errors } = error as PestleError;
    return [kind, status, errors.map(({ code, error_detail }) => [code, error_detail.map(({ field }) => field)])];
  });
  const second = await pestle.orders.create({ ...request, reference: "again" });
  await pestle.orders.cancel(second.order_number);
  await pestle.orders.hold(order_number);
  await pestle.simulate.order({ order_number, exception_id: 77 });
  await pestle.orders.act(order_number, { event: "confirm_address" });
  await pestle.orders.release(order_number);
  await pestle.simulate.order({ order_number, to: "Shipped" });
  await pestle.orders.refund(order_number, { reason_id: 101, amount_cents: 5 });
  await pestle.simulate.order({ order_number, to: "Delivered" });
  await pestle.orders.get(order_number);
  await pestle.orders.list({ patient_id }).take(5);
  await pestle.orders.actionRequests(order_number);
  const history = await pestle.orders.history(order_number).take(50);
  const events = await pestle.events.list({ order_number }).take(50);
  await pestle.events.get(events[0]!.event_id);
  await pestle.webhookEndpoints.remove(endpoint.id);
  return {
    exchanges,
    decided: {
      refused,
      second: [second.order_status, second.exceptions.map(({ id }) => id)],
      history: history.map(({ event, from, to, exception_id, actor }) => [event, from, to, exception_id, actor]),
      events: events.map(({ event_type, body }) => [event_type, (body as { sequence?: number }).sequence]),
    },
  };
}

/** Where two answers have other fields or types. Null fits any type. */
function differences(one: unknown, other: unknown, at: string): string[] {
  if (one === null || other === null) return [];
  if (Array.isArray(one) && Array.isArray(other))
    return one.length * other.length === 0 ? [] : differences(one[0], other[0], `${at}[]`);
  if (typeof one !== typeof other) return [`${at}: ${typeof one} and ${typeof other}`];
  if (typeof one !== "object") return [];
  const names = new Set([...Object.keys(one), ...Object.keys(other as object)]);
  return [...names].flatMap((name) =>
    name in one && name in (other as object)
      ? differences(one[name as never], (other as object)[name as never], `${at}.${name}`)
      : [`${at}.${name}: only ${name in one ? "the service" : "the fake"}`],
  );
}

test("the fake pharmacy answers a journey with the statuses, shapes, codes, steps and events of the service", async () => {
  const real = await journey(optionsOf(app));
  const fake = await journey(createFakePharmacy().options);
  expect(fake.decided).toEqual(real.decided);
  const named = ({ method, url, status }: Exchange) =>
    `${method} ${new URL(url).pathname.replaceAll(/\/(?=[^/]*\d)[^/]{6,}/g, "/{id}")} ${status}`;
  expect(fake.exchanges.map(named)).toEqual(real.exchanges.map(named));
  const bodyOf = ({ answer }: Exchange) => (answer === "" ? null : JSON.parse(answer));
  const found = real.exchanges.flatMap((one, index) =>
    differences(bodyOf(one), bodyOf(fake.exchanges[index]!), named(one)),
  );
  // The fake gives no advice about a wrong value.
  const advice = /\.(allowed|did_you_mean): only the service$/;
  expect(found.filter((one) => !advice.test(one))).toEqual([]);
});
