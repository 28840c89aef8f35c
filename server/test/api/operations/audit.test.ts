import { randomUUID } from "node:crypto";
import { type AuditRule, partnerAudit } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAuditLog } from "../../../src/audit-log.ts";
import { noteWritten } from "../../../src/db/operations/audit.ts";
import { openAudit } from "../../../src/usecases/operations/audit-note.ts";
import { auditRead } from "../../../src/usecases/operations/audit-partner.ts";
import { readKeeper, reportGaps } from "../../../src/usecases/operations/keep-reads.ts";
import { newOrder, type OrderBody } from "../../support/orders.ts";
import { patientKeyOf } from "../../support/patient-key.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { webPerson } from "../../support/web.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

type Entry = {
  action: string;
  account_id: string | null;
  credential_id: string | null;
  address: string | null;
  subject: string | null;
  patients: string[];
  field_groups: string[];
  request_id: string | null;
};
/** The job has written every read so far: it keeps their order, so it has when a later one is there. */
const written = async () => {
  const subject = randomUUID();
  const by = { person_id: null, role: "test", account_id: null, request_id: null };
  app.deps.audit_log.add({ at: new Date(), action: "patient_read", subject, ...by });
  app.deps.audit_log.onBatch();
  await vi.waitFor(
    async () => {
      const { count } = await app.deps.db.raw("select from audit_entry where subject = $1", [subject]);
      expect(count).toBe(1);
    },
    { timeout: 60_000, interval: 20 },
  );
};
const entriesOf = async (request_id: string): Promise<Entry[]> => {
  await written();
  const { rows } = await app.deps.db.raw(
    `select e.action, e.account_id, e.credential_id, e.address, e.subject, e.field_groups, e.request_id,
      array(
        select jsonb_build_object('patient_key', p.patient_key,
          'id_sealed', translate(encode(p.id_sealed, 'base64'), E'\\n', '')) from patient p
        where p.account_id = e.account_id and p.patient_key = any(e.patient_keys)) as patients
    from audit_entry e where request_id = $1 order by audit_id`,
    [request_id],
  );
  return rows.map((row) => openAudit(app.deps, row as never)) as unknown as Entry[];
};
const send = (method: string, path: string, body?: unknown) =>
  app.call(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });

describe("every look of a partner's program at a patient, and every change, leaves an entry", () => {
  let patient_id: string;
  let order_number: string;
  let address_id: number;
  let entry_id: number;
  let event_id: string;
  let schedule_id: string;
  let schedule: Record<string, unknown>;
  let body: OrderBody;
  beforeAll(async () => {
    ({ patient_id, body } = await newOrder(app));
    const placed = (await (await send("POST", "/orders", body)).json()) as { order_number: string };
    order_number = placed.order_number;
    const changed = await send("PATCH", `/patients/${patient_id}`, { patient_safety: { allergies: ["Penicillin"] } });
    const { patient_safety } = (await changed.json()) as {
      patient_safety: { entries: { entry_id: number; source: string }[] };
    };
    entry_id = patient_safety.entries.find(({ source }) => source === "partner")!.entry_id;
    const street = { street1: "500 Castro St", city: "Mountain View", state: "CA", zip: "94041" };
    const added = await send("POST", `/patients/${patient_id}/shipping_address`, {
      first_name: "Ada",
      last_name: "Wren",
      ...street,
    });
    address_id = ((await added.json()) as { address_id: number }).address_id;
    const consent = { given_at: "2026-01-05T09:00:00Z", method: "verbal" };
    schedule = { patient_id, shipping: { method_id: 1 }, every_days: 30, consent };
    const simulation = { drug_name: "sertraline", patient: { patient_id } };
    const arrived = await send("POST", "/simulate", { simulation_type: "prescription", simulation });
    const { prescription_id } = (await arrived.json()) as { prescription_id: number };
    const started = await send("POST", "/refill_schedules", { ...schedule, prescription_id });
    schedule_id = ((await started.json()) as { schedule_id: string }).schedule_id;
    // A job adds events to the feed.
    event_id = await vi.waitFor(
      async () => {
        const feed = (await (await send("GET", `/webhook_events?order_number=${order_number}`)).json()) as {
          webhook_events: { event_id: string }[];
        };
        return feed.webhook_events[0]!.event_id;
      },
      { timeout: 60_000, interval: 100 },
    );
  });

  const requests: Record<string, () => [method: string, path: string, body?: unknown]> = {
    getPatient: () => ["GET", `/patients/${patient_id}`],
    updatePatient: () => ["PATCH", `/patients/${patient_id}`, { email: "new@quillfeather.example" }],
    listPatientPrescriptions: () => ["GET", `/patients/${patient_id}/rx`],
    removeSafetyEntry: () => [
      "DELETE",
      `/patients/${patient_id}/patient_safety/${entry_id}`,
      { reason: "entered by mistake" },
    ],
    addShippingAddress: () => [
      "POST",
      `/patients/${patient_id}/shipping_address`,
      {
        first_name: "Ada",
        last_name: "Wren",
        street1: "1 Market St",
        city: "San Francisco",
        state: "CA",
        zip: "94105",
      },
    ],
    removeShippingAddress: () => ["DELETE", `/patients/${patient_id}/shipping_address/${address_id}`],
    addIdentityDocument: () => [
      "POST",
      `/patients/${patient_id}/identity_documents`,
      { type: "PP", issuing_country: "US", number: "X1234567", expiration_date: "2199-01-01" },
    ],
    listOrders: () => ["GET", `/orders?patient_id=${patient_id}`],
    getOrder: () => ["GET", `/orders/${order_number}`],
    listOrderHistory: () => ["GET", `/orders/${order_number}/history`],
    listOrderActionRequests: () => ["GET", `/orders/${order_number}/partner_order_action_requests`],
    listOrderMessages: () => ["GET", `/orders/${order_number}/messages`],
    sendOrderMessage: () => ["POST", `/orders/${order_number}/messages`, { text: "Ship it before Friday, please." }],
    replaceOrderAddress: () => [
      "PUT",
      `/orders/${order_number}/shipping_address`,
      {
        first_name: "Ada",
        last_name: "Wren",
        street1: "1 Market St",
        city: "San Francisco",
        state: "CA",
        zip: "94105",
      },
    ],
    createRefillSchedule: () => [
      "POST",
      "/refill_schedules",
      { ...schedule, prescription_id: body.items[0]["prescription_id"] },
    ],
    listRefillSchedules: () => ["GET", `/refill_schedules?patient_id=${patient_id}`],
    getRefillSchedule: () => ["GET", `/refill_schedules/${schedule_id}`],
    skipRefill: () => ["POST", `/refill_schedules/${schedule_id}/skip`, {}],
    pauseRefillSchedule: () => ["POST", `/refill_schedules/${schedule_id}/pause`, {}],
    resumeRefillSchedule: () => ["POST", `/refill_schedules/${schedule_id}/resume`, {}],
    fillRefillNow: () => ["POST", `/refill_schedules/${schedule_id}/fill_now`, {}],
    cancelRefillSchedule: () => ["POST", `/refill_schedules/${schedule_id}/cancel`, {}],
    requestOrderAction: () => ["POST", `/orders/${order_number}/partner_order_action_requests`, { event: "cancel" }],
    createOrder: () => ["POST", "/orders", { ...body, reference: randomUUID() }],
    listWebhookEvents: () => ["GET", `/webhook_events?order_number=${order_number}`],
    getWebhookEvent: () => ["GET", `/webhook_events/${event_id}`],
    simulate: () => ["POST", "/simulate", { simulation_type: "prescription", simulation: { patient: { patient_id } } }],
  };
  /** Other tests create what these need, and check their entries. */
  const elsewhere = [
    "createReorder",
    "createRenewalRequest",
    "getRenewalRequest",
    "receiveScript",
    "receiveFhir",
    "getStatement",
    "listContinuity",
  ];
  const rules = Object.entries(partnerAudit as Record<string, AuditRule>);
  const about_patients = rules.flatMap(([id, rule]) =>
    "writes" in rule && rule.about === "patient" && !elsewhere.includes(id) ? [id] : [],
  );

  test("the requests below are those of the contract's table", () => {
    expect(Object.keys(requests).toSorted()).toEqual(about_patients.toSorted());
  });

  test.each(Object.keys(requests))("%s", async (operation) => {
    const [method, path, sent] = requests[operation]!();
    const response = await send(method, path, sent);
    expect([response.status, await response.text()]).toEqual([
      expect.toSatisfy((code) => code < 300),
      expect.anything(),
    ]);
    const rule = (partnerAudit as Record<string, AuditRule>)[operation]! as Extract<AuditRule, { writes: unknown }>;
    const entries = await entriesOf(response.headers.get("x-request-id")!);
    const { account_id, client_id } = app.demo.partners[0]!;
    expect(entries).toEqual([
      {
        action: rule.writes[0],
        account_id,
        credential_id: client_id.split("-")[1],
        address: expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$|^::1$/),
        subject: entries[0]!.subject,
        patients: ["listOrderHistory", "listOrderMessages"].includes(operation) ? [] : [patient_id],
        field_groups: [...rule.groups],
        request_id: response.headers.get("x-request-id"),
      },
    ]);
  });

  test("a request that is refused or finds nothing leaves none", async () => {
    for (const [method, path, sent] of [
      ["GET", "/patients/nobody-1"],
      ["PATCH", `/patients/${patient_id}`, { email: "no address" }],
      ["POST", "/orders", {}],
    ] as const) {
      const response = await send(method, path, sent);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(await entriesOf(response.headers.get("x-request-id")!)).toEqual([]);
    }
  });

  test("a dry run is a look", async () => {
    const other = await newOrder(app);
    const response = await send("POST", "/orders?dry_run=true", other.body);
    const entries = await entriesOf(response.headers.get("x-request-id")!);
    expect(entries.map(({ action, patients }) => [action, patients])).toEqual([["order_tried", [other.patient_id]]]);
  });

  test("the entry of a change is in the change's transaction: without it there is no change", async () => {
    const other = await newOrder(app);
    await app.deps.db.raw("alter table audit_entry add constraint none_is_taken check (request_id is null) not valid");
    try {
      const ordered = await send("POST", "/orders", other.body);
      const changed = await send("PATCH", `/patients/${other.patient_id}`, { email: "x@quillfeather.example" });
      expect([ordered.status, changed.status]).toEqual([500, 500]);
    } finally {
      await app.deps.db.raw("alter table audit_entry drop constraint none_is_taken");
    }
    const { rows } = await app.deps.db.raw("select order_number from orders where patient_key = $1", [
      await patientKeyOf(app, app.demo.partners[0]!.account_id, other.patient_id),
    ]);
    expect(rows).toEqual([]);
  });

  test("an accounting of disclosures names each of them, the pharmacy's staff included, and is an entry itself", async () => {
    await written();
    const { account_id } = app.demo.partners[0]!;
    const lead = await webPerson(app, "lead");
    expect((await lead.get(`/dashboard/orders/${account_id}/${order_number}`)).status).toBe(200);
    const page = await lead.get(`/dashboard/audit?account_id=${account_id}&patient_id=${patient_id}`);
    const actions = page.body.entries.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(expect.arrayContaining(["order_viewed", "patient_read", "orders_read", "order_created"]));
    expect(actions[0]).toBe("disclosures_viewed");
    const viewed = page.body.entries.find(({ action }: { action: string }) => action === "order_viewed");
    expect(viewed).toMatchObject({ person_id: lead.person_id, address: expect.stringContaining("127.0.0.1") });
    const csv = await lead.get(`/dashboard/audit.csv?account_id=${account_id}&patient_id=${patient_id}`);
    expect(csv.text.split(/\r?\n/)[0]).toBe("at,who,role,action,fields,subject,address,request_id");
    expect(csv.text.split(/\r?\n/).length).toBe(page.body.entries.length + 3);
    expect((await lead.get(`/dashboard/audit?patient_id=${patient_id}`)).status).toBe(400);
    expect((await lead.get("/dashboard/audit.csv")).status).toBe(400);
    const other = app.demo.partners[1]!.account_id;
    const none = await lead.get(`/dashboard/audit?account_id=${other}&patient_id=${patient_id}`);
    expect(none.body.entries).toEqual([]);
  });
});

test("a token is an entry of its credential, with the client's address", async () => {
  await app.token(2);
  await written();
  const { client_id } = app.demo.partners[2]!;
  const text = "select action, address, credential_id from audit_entry where subject = $1";
  const { rows } = await app.deps.db.raw(text, [client_id]);
  const credential_id = client_id.split("-")[1];
  expect(rows).toEqual([{ action: "token_issued", address: expect.stringContaining("127.0.0.1"), credential_id }]);
});

describe("the queue of reads", () => {
  const read = (patients: string[] = []) => ({
    at: new Date(),
    person_id: null,
    role: null,
    account_id: null,
    action: "patient_read" as const,
    subject: null,
    request_id: null,
    patients,
  });

  test("is bounded in entries and in bytes, and refuses the read when it is full", () => {
    const few = createAuditLog(2);
    expect([few.add(read()), few.add(read()), few.add(read())]).toEqual([true, true, false]);
    const small = createAuditLog(100, 2_000);
    expect(small.add(read(Array.from({ length: 200 }, String)))).toBe(false);
    expect(small.add(read(["one"]))).toBe(true);
    expect(() => auditRead({ audit_log: few }, read())).toThrow(expect.objectContaining({ status: 503 }));
    few.remove(2);
    expect(few.add(read())).toBe(true);
  });

  test("keeps entries that could not be written, and writes each once", async () => {
    const audit_log = createAuditLog();
    const subject = randomUUID();
    audit_log.add({ ...read(), subject });
    const broken = { ...app.deps.db, transaction: () => Promise.reject(new Error("away")) };
    const keeper = readKeeper({ ...app.deps, db: broken, audit_log }, randomUUID());
    await expect(keeper.run()).rejects.toThrow("away");
    expect(audit_log.waiting).toBe(1);
    const process_id = randomUUID();
    await readKeeper({ ...app.deps, audit_log }, process_id).run();
    await readKeeper({ ...app.deps, audit_log }, process_id).stop();
    const { rows } = await app.deps.db.raw("select subject from audit_entry where subject = $1", [subject]);
    expect(rows).toEqual([{ subject }]);
  });

  test("a process that ended without writing its last reads is reported once, with the time from which they may be missing", async () => {
    const [dead, stopped] = [randomUUID(), randomUUID()];
    const before = new Date(app.deps.now().getTime() - 61_000);
    await noteWritten(app.deps.db, dead, before);
    const keeper = readKeeper({ ...app.deps, audit_log: createAuditLog(), now: () => before }, stopped);
    await keeper.run();
    await keeper.stop();
    await reportGaps(app.deps);
    await reportGaps(app.deps);
    const text = "select subject from audit_entry where action = 'audit_gap' and subject like any($1)";
    const { rows } = await app.deps.db.raw(text, [[`%${dead}%`, `%${stopped}%`]]);
    expect(rows).toEqual([{ subject: `process ${dead}, reads after ${before.toISOString()}` }]);
  });
});
