import { actions, endpoints, exceptionIds, exceptions, transitions } from "@pestle/contract";
import { expect, test } from "vitest";
import { Conflict, createPestle, isPestleError, RequestRefused } from "../src/index.ts";
import { createFakePharmacy, recordTransport, replayTransport } from "../src/testing.ts";
import { createReceiver, fetchHandler, openInbox } from "../src/webhooks.ts";
import { failure } from "./support/failure.ts";

/** A pharmacy with a client and a prescription. */
function opened() {
  const pharmacy = createFakePharmacy();
  const pestle = createPestle({ ...pharmacy.options, sleep: async () => {} });
  const { patient_id, prescription_id } = pharmacy.prescription();
  const request = { shipping: { method_id: 1 }, patient: { patient_id }, items: [{ prescription_id }] };
  return { pharmacy, pestle, request, patient_id };
}

test("an order goes from its creation to its delivery, and every step is one of the contract's transitions", async () => {
  const { pharmacy, pestle, request } = opened();
  const { order_number, order_status } = await pestle.orders.create({ ...request, reference: "inv-1" });
  expect(order_status).toBe("Processing");
  expect(pharmacy.move(order_number, "Delivered").order_status).toBe("Delivered");
  const history = await pestle.orders.history(order_number, { limit: 2 }).take(10);
  expect(history.map(({ event }) => event).reverse()).toEqual([
    "create",
    "approve_review",
    "complete_fill",
    "verify_product",
    "ship",
    "deliver",
  ]);
  const sent = (event: string) => transitions.find((row) => row.event === event)!.sends;
  const expected = ["RX_RECEIVED", ...["create", "approve_review", "ship", "deliver"].flatMap(sent), "PAYMENT_UPDATED"];
  expect(pharmacy.events.map(({ event_type }) => event_type).sort()).toEqual(expected.sort());
  expect(await pestle.events.list({ order_number }).take(20)).toHaveLength(expected.length - 1);
  expect(await pestle.orders.get(order_number)).toMatchObject({
    payment: { status: "captured" },
    shipments: [{ status: "delivered" }],
  });
  expect(() => pharmacy.move(order_number, "Shipped")).toThrow("Delivered");
});

test.each(exceptionIds)("exception %i holds an order, offers the contract's actions, and each ends it", async (id) => {
  const values = { email: "rosa@mail.example", dob: "1984-06-02", token: "tok_1", item_id: 1 };
  for (const event of exceptions[id].actions) {
    const { pharmacy, pestle, request, patient_id } = opened();
    pharmacy.holdNext(id);
    const order = await pestle.orders.create(request);
    expect(order).toMatchObject({ order_status: "On Hold", exception: { id, name: exceptions[id].name } });
    expect(order.exception!.order_actions.map(({ event_key }) => event_key)).toEqual(exceptions[id].actions);
    const [address] = (await pestle.patients.get(patient_id)).addresses;
    const { address_id: _id, default: _default, ...sent } = address!;
    const { prescription_id } = pharmacy.prescription({ patient_id });
    const fields = Object.fromEntries(
      actions[event].fields
        .filter(({ name }) => name !== "dob" || id === 71)
        .map(({ name }) => [name, { ...values, address: sent, prescription_id, reason_id: 101 }[name as "email"]]),
    );
    const { order: after } = await pestle.orders.act(order.order_number, { event, ...fields } as never);
    expect([after.order_status, after.exceptions]).toEqual([event === "cancel" ? "Canceled" : "Processing", []]);
  }
});

test("an action that neither the status nor an exception offers gets 42463", async () => {
  const { pestle, request } = opened();
  const { order_number } = await pestle.orders.create(request);
  for (const event of ["release", "refund"] as const) {
    const told = await failure(
      pestle.orders.act(order_number, { event, ...(event === "refund" && { reason_id: 101 }) } as never),
    );
    expect(told).toMatchObject({ status: 422, errors: [{ code: 42463 }] });
  }
});

test("a wrong order gets every problem at once, with the contract's codes", async () => {
  const { pestle, request, pharmacy } = opened();
  const wrong = { ...request, shipping: { method_id: 99 }, items: [{ prescription_id: 1 }] };
  const told = await failure(pestle.orders.create(wrong));
  expect(told).toBeInstanceOf(RequestRefused);
  expect((told as RequestRefused).fields.map(({ code, field }) => [code, field])).toEqual([
    [42249, "items[0].prescription_id"],
    [42291, "shipping.method_id"],
  ]);
  const empty = (await failure(pestle.orders.create({} as never))) as RequestRefused;
  expect(empty.fields.map(({ field, problem }) => [field, problem])).toEqual([
    ["items", "missing"],
    ["patient.patient_id", "missing"],
    ["shipping.method_id", "missing"],
  ]);
  expect(await pestle.orders.dryRun(wrong)).toMatchObject({
    would_create: false,
    errors: [{ code: 42249 }, { code: 42291 }],
  });
  expect(await pestle.orders.dryRun(request)).toMatchObject({ would_create: true, order: { order_number: null } });
  expect(pharmacy.requests.filter(({ status }) => status === 201)).toEqual([]);
});

test("a repeated key replays the answer, a repeated body conflicts, and a second fill is held as a duplicate", async () => {
  const { pharmacy, pestle, request } = opened();
  const first = await pestle.orders.create(request, { idempotency_key: "inv-1" });
  expect(await pestle.orders.create(request, { idempotency_key: "inv-1" })).toEqual(first);
  const conflict = (await failure(pestle.orders.create(request))) as Conflict;
  expect(conflict).toBeInstanceOf(Conflict);
  expect(conflict.order).toEqual(first);
  const other = await failure(pestle.orders.create({ ...request, reference: "b" }, { idempotency_key: "inv-1" }));
  expect(other).toMatchObject({ errors: [{ code: 42299 }] });
  pharmacy.advance(60);
  expect(await pestle.orders.create(request)).toMatchObject({ order_status: "On Hold", exception: { id: 68 } });
});

test("a failure that you plan reaches the client, which tries again", async () => {
  const { pharmacy, pestle, request } = opened();
  pharmacy.failNext(503);
  pharmacy.failNext(429);
  await pestle.orders.create(request);
  const statuses = pharmacy.requests.filter(({ path }) => path === "/v1/orders").map(({ status }) => status);
  expect(statuses).toEqual([503, 429, 201]);
});

test("signed webhooks reach a receiver, and again until it accepts them", async () => {
  const url = "https://partner.example/hook";
  const worked: string[] = [];
  let down = true;
  const pharmacy = createFakePharmacy({
    deliver: (request) => (down ? Promise.resolve(new Response(null, { status: 503 })) : receive(request)),
  });
  const { signing_secret } = pharmacy.addEndpoint({ url, secret: "word", events: ["RX_RECEIVED", "ORDER_UPDATED"] });
  const receive = fetchHandler(
    createReceiver({
      ...{ url, client_secrets: [pharmacy.options.client_secret], webhook_secret: "word", signing_secret },
      inbox: openInbox({ otherwise: ({ event_type }) => void worked.push(event_type) }),
    }),
  );
  const pestle = createPestle(pharmacy.options);
  const { patient_id, prescription_id } = pharmacy.prescription();
  await pestle.orders.create({ shipping: { method_id: 1 }, patient: { patient_id }, items: [{ prescription_id }] });
  expect((await pharmacy.deliverWebhooks()).map(({ status }) => status)).toEqual([503, 503]);
  down = false;
  expect((await pharmacy.deliverWebhooks()).map(({ status }) => status)).toEqual([204, 204]);
  expect(await pharmacy.deliverWebhooks()).toEqual([]);
  expect(worked).toEqual(["RX_RECEIVED", "ORDER_UPDATED"]);
});

test("every partner operation gets an answer or a 501 that names it", async () => {
  const { pestle } = opened();
  const told = await failure(pestle.statements.list().firstPage());
  expect(isPestleError(told) && told.kind === "other" && told.message).toContain("does not play listStatements");
  const partner = endpoints.filter(({ server }) => server === "partner");
  expect(partner.length).toBeGreaterThan(40);
});

test("a recording answers the same calls without the pharmacy, and holds no credentials", async () => {
  const { pharmacy, request } = opened();
  const recorder = recordTransport(pharmacy.fetch);
  const idempotency_key = "inv-1";
  const journey = async (fetch: typeof globalThis.fetch) => {
    const pestle = createPestle({ ...pharmacy.options, fetch });
    const order = await pestle.orders.create(request, { idempotency_key });
    return [order, await pestle.orders.hold(order.order_number), await pestle.orders.list().take(5)];
  };
  const first = await journey(recorder.fetch);
  const text = JSON.stringify(recorder.exchanges);
  expect(text).not.toMatch(/fake-token|fake-client-secret|authorization/);
  const replay = replayTransport(JSON.parse(text));
  expect(await journey(replay.fetch)).toEqual(first);
  expect(replay.unused()).toEqual([]);
  expect(await failure(journey(replay.fetch))).toMatchObject({ status: 501 });
});
