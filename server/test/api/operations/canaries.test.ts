import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Endpoint, endpoints, type Schema } from "@pestle/contract";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { backUp } from "../../../src/usecases/operations/back-up.ts";
import { decodeMasterKey } from "../../../src/vault/master-key.ts";
import { newMessage, openIntake } from "../../support/intake.ts";
import { placed } from "../../support/orders.ts";
import { ask, goodAddress, goodDocument, patientCalls } from "../../support/patient.ts";
import { openReceiver, type Receiver } from "../../support/receiver.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { backupLines } from "../../support/tools/backup-contents.ts";
import { until } from "../../support/tools/until.ts";
import { webPerson } from "../../support/web.ts";
import { webhookCalls } from "../../support/webhook-api.ts";

/**
 * Marked values go through the fields that a network, a partner and the staff can send. Then the test reads what a thief
 * of disks would have: the files of the database, its write-ahead log, a backup, the logs and the metrics.
 */

/** Every mark contains it, so one search finds them all. Letters only, because a name has no digits. */
const NEEDLE = `kanari${[...randomBytes(10)].map((byte) => "abcdefghijklmnop"[byte % 16]).join("")}`;
const digits = String(1000 + (randomBytes(2).readUInt16BE() % 9000));
const mark = (field: string) => `${NEEDLE}q${field}`;
const PHONE = `712555${digits}`;
const OTHER_PHONE = `715555${digits}`;
const SIMULATED_PHONE = `717555${digits}`;

const DOCUMENT_NUMBER = `D${OTHER_PHONE}`;

/** What docs/guides/security.md says is in clear. Remove a row when its column is sealed. */
const CLEAR = ["carrier", "drug", "endpoint", "idempotency", "messageid", "sender", "simdrug", "tracking"];

/** The mark in each text that a partner can send. The names are those of the request schemas. */
const MARKS: Record<string, string> = {
  "AddressInput.first_name": mark("receiving"),
  "AddressInput.last_name": mark("receiver"),
  "AddressInput.street1": mark("road"),
  "AddressInput.street2": mark("door"),
  "AddressInput.city": mark("town"),
  "AddressInput.phone": OTHER_PHONE,
  "ShippingAddressInput.first_name": mark("receiving"),
  "ShippingAddressInput.last_name": mark("receiver"),
  "ShippingAddressInput.street1": mark("road"),
  "ShippingAddressInput.street2": mark("door"),
  "ShippingAddressInput.city": mark("town"),
  "ShippingAddressInput.phone": OTHER_PHONE,
  "IdentityDocumentInput.number": DOCUMENT_NUMBER,
  "PatientSafetyInput.medications": mark("medicine"),
  "PatientSafetyInput.health_conditions": mark("illness"),
  "PatientSafetyInput.allergies": mark("safety"),
  "SafetyEntryRemoval.reason": mark("removal"),
  "PatientUpdate.email": mark("mail"),
  "PatientUpdate.phone": OTHER_PHONE,
  "OrderItemInput.prescriber_name": mark("prescriber"),
  "OrderItemInput.prescriber_phone": OTHER_PHONE,
  "OrderItemInput.prescriber_fax": OTHER_PHONE,
  "OrderItemInput.sku": mark("sku"),
  "OrderItemInput.ndc": mark("ndc"),
  "OrderItemInput.gcn": mark("gcn"),
  "OrderItemInput.product_selection": mark("product"),
  "ShippingInput.label.carrier": mark("carrier"),
  "ShippingInput.label.tracking_no": mark("tracking"),
  "ShippingInput.label.data": Buffer.from(`^XA^FO20,20^FD${mark("label")}^FS^XZ`).toString("base64"),
  "OrderPatientInput.patient_id": mark("mrn"),
  "OrderPatientInput.email": mark("mail"),
  "OrderPatientInput.first_name": mark("first"),
  "OrderPatientInput.last_name": mark("last"),
  "OrderPatientInput.phone": OTHER_PHONE,
  "PaymentInput.token": mark("card"),
  "OrderRequest.reference": mark("reference"),
  "ReorderRequest.reference": mark("reference"),
  "ActionRequestInput.email": mark("mail"),
  "ActionRequestInput.token": mark("card"),
  "MessageInput.text": mark("saying"),
  "RenewalRequestInput.note": mark("renewing"),
  "RefillScheduleInput.patient_id": mark("mrn"),
  "WebhookEndpointInput.secret": mark("secret"),
  "WebhookEndpointInput.description": mark("endpoint"),
  "WebhookEndpointUpdate.secret": mark("secret"),
  "WebhookEndpointUpdate.description": mark("endpoint"),
  "SimulatePrescription.simulation.script": mark("script"),
  "SimulateMessage.simulation.text": mark("simsaying"),
  "SimulatedPatient.patient_id": mark("mrn"),
  "SimulatedPatient.first_name": mark("simfirst"),
  "SimulatedPatient.last_name": mark("simlast"),
  "SimulatedPatient.email": mark("simmail"),
  "SimulatedPatient.phone": SIMULATED_PHONE,
  "SimulatedPatient.address.street1": mark("simroad"),
  "SimulatedPatient.address.street2": mark("simdoor"),
  "SimulatedPatient.address.city": mark("simtown"),
  "SimulatedPatient.allergies": mark("simallergy"),
  "SimulatedPrescription.patient_id": mark("mrn"),
  "SimulatedPrescription.prescriber_name": mark("simprescriber"),
  "SimulatedPrescription.prescriber_phone": SIMULATED_PHONE,
  "SimulatedPrescription.prescriber_fax": SIMULATED_PHONE,
  "SimulatedPrescription.drug_name": mark("simdrug"),
  "SimulatedPrescription.sig_text": mark("simsig"),
};
/** Texts that hold no mark: a code, an id of ours, or an address of a receiver. */
const NO_MARK = [
  "AddressInput.state",
  "AddressInput.zip",
  "IdentityDocumentInput.issuing_country",
  "IdentityDocumentInput.issuing_state",
  "MessageInput.in_reply_to",
  "RedeliveryRequest.endpoint_id",
  "ShippingAddressInput.state",
  "ShippingAddressInput.zip",
  "SimulateMessage.simulation.order_number",
  "SimulateOrder.simulation.order_number",
  "SimulatedPatient.address.state",
  "SimulatedPatient.address.zip",
  "SimulatedPrescription.gcn",
  "SimulatedPrescription.ndc",
  "WebhookEndpointInput.signing_credential_id",
  "WebhookEndpointInput.url",
  "WebhookEndpointUpdate.signing_credential_id",
  "WebhookEndpointUpdate.url",
];

/** The texts of a request schema: strings without a fixed list and without a date's form, under the nearest name. */
function textFields(schema: Schema, path: string): string[] {
  const { $id, type, properties, items, oneOf, anyOf, enum: values, format } = schema as Record<string, unknown>;
  const at = typeof $id === "string" ? $id : path;
  if (properties !== undefined)
    return Object.entries(properties as Record<string, Schema>).flatMap(([name, one]) =>
      textFields(one, `${at}.${name}`),
    );
  if (items !== undefined) return textFields(items as Schema, at);
  const several = (oneOf ?? anyOf) as Schema[] | undefined;
  if (several !== undefined) return several.flatMap((one) => textFields(one, at));
  const text = type === "string" || (Array.isArray(type) && type.includes("string"));
  return text && values === undefined && !/^date/.test(String(format)) ? [at] : [];
}

/** Every text of every body sent, by the name of its field. */
const sent: [name: string, text: string][] = [];
function send<Body>(body: Body): Body {
  JSON.stringify(body, function (this: unknown, name, value: unknown) {
    if (typeof value === "string") sent.push([name, value]);
    if (Array.isArray(value)) for (const one of value) if (typeof one === "string") sent.push([name, one]);
    return value;
  });
  return body;
}

let app: TestApp;
let receiver: Receiver;
let folder: string;
let admin: pg.Client;
let wal_start: string;
let order_number: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pestle-canaries-"));
  admin = new pg.Client({ connectionString: inject("cluster_url").replace("{database}", "postgres") });
  await admin.connect();
  wal_start = await walFile();
  app = await startTestApp();
  receiver = await openReceiver((_, response) => response.end(mark("answer")));
  const endpoint = await webhookCalls(app).create(
    send({ url: receiver.url, secret: mark("secret"), description: mark("endpoint") }),
  );
  const { status } = await ask(
    app,
    `/webhook_endpoints/${endpoint.id}`,
    send({ secret: mark("secret"), description: mark("endpoint") }),
    { method: "PATCH" },
  );
  expect(status).toBe(200);

  const intake = await openIntake(app);
  const message = newMessage({
    envelope: { from: mark("sender"), message_id: mark("messageid") },
    prescription: {
      prescriber: {
        last_name: mark("prescribing"),
        first_name: "Fenwick",
        practice: mark("practice"),
        npi: "1234567893",
        dea: null,
        state_license: null,
        phone: "9165550160",
        fax: null,
        address: null,
      },
      sig_text: `Take 1 tablet by mouth daily. ${mark("sig")}`,
      note: mark("note"),
      diagnoses: [{ code: "E785", system: "icd10cm", description: mark("diagnosis") }],
      allergies: [{ text: mark("allergy"), codes: [], reaction: null, severity: null }],
      drug: {
        description: `Atorvastatin 20 mg ${mark("drug")}`,
        codes: [{ system: "ndc", code: "70999010130" }],
        strength: null,
        schedule: "0",
      },
    },
    patient: {
      ids: [{ kind: "medical_record", value: mark("mrn") }],
      first_name: mark("first"),
      last_name: mark("last"),
      middle_name: mark("middle"),
      phone: PHONE,
      email: `${mark("email")}@example.com`,
      address: {
        street1: `4 ${mark("street")}`,
        street2: null,
        city: "Sacramento",
        state: "CA",
        zip: "95814",
        country: "US",
      },
    },
  });
  expect((await intake.send(message)).status).toBe(200);
  const { rows } = await app.deps.db.raw("select prescription_id from prescription");
  const prescription_id = Number(rows[0]?.["prescription_id"]);
  const patient_id = mark("mrn");

  const patient = patientCalls(app, patient_id);
  expect((await patient.read()).patient_id).toBe(patient_id);
  const patient_safety = {
    allergies: [mark("safety")],
    medications: [mark("medicine")],
    health_conditions: [mark("illness")],
  };
  const email = `${mark("mail")}@example.com`;
  expect((await patient.patch(send({ email, phone: OTHER_PHONE, patient_safety }))).status).toBe(200);
  const address = {
    ...goodAddress,
    first_name: mark("receiving"),
    last_name: mark("receiver"),
    street1: `5 ${mark("road")}`,
    street2: mark("door"),
    city: mark("town"),
    phone: OTHER_PHONE,
    ignore_warnings: true,
  };
  const headers = { "idempotency-key": mark("idempotency") };
  expect((await patient.addAddress(send(address), { headers })).status).toBe(201);
  expect((await patient.addDocument(send({ ...goodDocument, number: DOCUMENT_NUMBER }))).status).toBe(201);
  const { entry_id } = (await patient.read()).patient_safety.entries.find(({ text }) => text === mark("medicine"))!;
  const removal = send({ reason: mark("removal") });
  const removed = await ask(app, `/patients/${patient_id}/patient_safety/${entry_id}`, removal, { method: "DELETE" });
  expect(removed.status).toBe(204);
  const order = await placed(
    app,
    send({
      reference: mark("reference"),
      shipping: {
        method_id: 1,
        label: {
          format: "ZPL",
          data: MARKS["ShippingInput.label.data"],
          carrier: mark("carrier"),
          tracking_no: mark("tracking"),
        },
      },
      patient: { patient_id, email, first_name: mark("first"), last_name: mark("last"), phone: OTHER_PHONE },
      address: { ...address, street2: mark("floor") },
      payment: { payer: "patient", token: mark("card") },
      items: [
        {
          prescription_id,
          quantity: 1,
          package_size: 90,
          prescriber_name: mark("prescriber"),
          prescriber_phone: OTHER_PHONE,
          prescriber_fax: OTHER_PHONE,
        },
      ],
    }),
    { headers: { "idempotency-key": mark("idempotency") } },
  );
  order_number = order.order_number;
  for (const path of [`/orders?patient_id=${patient_id}`, `/orders?reference=${mark("reference")}`]) {
    expect(JSON.parse((await ask(app, path)).text).orders).toMatchObject([{ order_number, patient_id }]);
  }
  const said = await ask(app, `/orders/${order_number}/messages`, send({ text: mark("saying") }));
  expect([said.status, said.text]).toEqual([201, expect.stringContaining(mark("saying"))]);
  const asked = { order_number, text: mark("simsaying") };
  const told = await ask(app, "/simulate", send({ simulation_type: "message", simulation: asked }));
  expect(told.status).toBe(202);
  const scheduled = await ask(
    app,
    "/refill_schedules",
    send({
      patient_id,
      prescription_id,
      shipping: { method_id: 1 },
      address,
      payment: { payer: "patient", token: mark("card") },
      every_days: 30,
      consent: { given_at: "2026-01-05T09:00:00Z", method: "verbal" },
    }),
  );
  expect([scheduled.status, scheduled.text]).toEqual([201, expect.stringContaining(mark("road"))]);
  // The service refuses these bodies, so only logs could show them.
  const item = { sku: mark("sku"), ndc: mark("ndc"), gcn: mark("gcn"), product_selection: mark("product") };
  const refused: [path: string, body: object][] = [
    ["/orders", { patient: { patient_id }, items: [item] }],
    [`/prescriptions/${prescription_id}/renewal_requests`, { note: mark("renewing") }],
    [`/orders/${order_number}/reorders`, { reference: mark("reference") }],
    [`/orders/${order_number}/partner_order_action_requests`, { event: "release", email, token: mark("card") }],
    ["/simulate", { simulation_type: "prescription", simulation: { script: `<Message>${mark("script")}</Message>` } }],
  ];
  for (const [path, body] of refused) {
    expect([path, (await ask(app, path, send(body))).status]).toEqual([path, 422]);
  }
  const simulated = {
    patient_id,
    prescriber_name: mark("simprescriber"),
    prescriber_phone: SIMULATED_PHONE,
    prescriber_fax: SIMULATED_PHONE,
    drug_name: mark("simdrug"),
    sig_text: `Take 1 tablet by mouth daily. ${mark("simsig")}`,
    patient: {
      patient_id,
      first_name: mark("simfirst"),
      last_name: mark("simlast"),
      email: `${mark("simmail")}@example.com`,
      phone: SIMULATED_PHONE,
      address: {
        street1: `6 ${mark("simroad")}`,
        street2: mark("simdoor"),
        city: mark("simtown"),
        state: "CA",
        zip: "95814",
      },
      allergies: [mark("simallergy")],
    },
  };
  const simulation = await ask(app, "/simulate", send({ simulation_type: "prescription", simulation: simulated }));
  expect([simulation.status, simulation.text]).toEqual([202, expect.stringContaining(patient_id)]);

  const pharmacist = await webPerson(app, "pharmacist");
  const { account_id } = app.demo.partners[0]!;
  const page = `/dashboard/orders/${account_id}/${order_number}`;
  const { revision } = (await pharmacist.get(page)).body;
  const noted = await pharmacist.send("POST", `${page}/work`, { event: "note", revision, reason: mark("remark") });
  expect([noted.status, noted.text]).toEqual([200, expect.stringContaining(mark("remark"))]);
  const searched = await pharmacist.send("POST", "/dashboard/search", { q: patient_id });
  expect(searched.body.hits).toMatchObject([{ by: "patient", order_number }, { by: "patient" }]);
  await receiver.arrived(2);
  const attempts = "select count(*)::int as count from webhook_attempt";
  await until(async () => Number((await app.deps.db.raw(attempts)).rows[0]?.["count"]) >= 2, "attempts are kept");
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
  await admin.end();
  rmSync(folder, { recursive: true, force: true });
});

const one = async (text: string, params: unknown[] = []) =>
  Object.values((await admin.query(text, params)).rows[0] as Record<string, unknown>)[0] as string;
const walFile = () => one("select pg_walfile_name(pg_current_wal_insert_lsn())");

/** The names of the marks in some bytes. */
function marksIn(bytes: Buffer): string[] {
  const found = new Set<string>();
  for (const needle of [NEEDLE, NEEDLE.toUpperCase()]) {
    for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) {
      const after = bytes.subarray(at + needle.length, at + needle.length + 20).toString("latin1");
      found.add(/^q([a-z]+)/i.exec(after)?.[1]?.toLowerCase() ?? "(other)");
    }
  }
  for (const phone of [PHONE, OTHER_PHONE, SIMULATED_PHONE]) if (bytes.includes(phone)) found.add("phone");
  return [...found];
}
const marksInFiles = (files: string[]) => [...new Set(files.flatMap((file) => marksIn(readFileSync(file))))].sort();

const WAL_PAGE_BYTES = 8192;
/** The header of a page can be in the middle of a record, and so of a mark. The first page of a segment has a longer one. */
function withoutPageHeaders(segment: Buffer): Buffer {
  const pages = Array.from({ length: segment.length / WAL_PAGE_BYTES }, (_, number) =>
    segment.subarray(number * WAL_PAGE_BYTES + (number === 0 ? 40 : 24), (number + 1) * WAL_PAGE_BYTES),
  );
  return Buffer.concat(pages);
}

test("every text that a partner can send carries a mark", () => {
  const all: readonly Endpoint[] = endpoints;
  const bodies = all.filter(({ server, body }) => server === "partner" && body !== undefined);
  const fields = new Set(bodies.flatMap(({ operation_id, body }) => textFields(body!.schema, operation_id)));
  expect([...fields].sort()).toEqual([...Object.keys(MARKS), ...NO_MARK].sort());
  const unsent = Object.entries(MARKS).filter(([field, text]) => {
    const name = field.split(".").at(-1)!;
    return !sent.some((one) => one[0] === name && one[1].includes(text));
  });
  expect(unsent.map(([field]) => field)).toEqual([]);
});

test("the database's files and its write-ahead log show only what is documented to be in clear", async () => {
  await admin.query("checkpoint");
  const directory = await one("show data_directory");
  const { pathname } = new URL(app.config.DATABASE_URL.replace(/\?.*/, "").replace("@/", "@localhost/"));
  const oid = await one("select oid from pg_database where datname = $1", [pathname.slice(1)]);
  const base = join(directory, "base", String(oid));
  const in_files = marksInFiles(readdirSync(base).map((name) => join(base, name)));
  const last = await walFile();
  const wal = readdirSync(join(directory, "pg_wal")).filter((name) => /^[0-9A-F]{24}$/.test(name));
  const written = wal.filter((name) => name >= wal_start && name <= last);
  expect(written.length).toBeGreaterThan(0);
  const segments = written.map((name) => withoutPageHeaders(readFileSync(join(directory, "pg_wal", name))));
  const in_wal = [...new Set(segments.flatMap(marksIn))].sort();
  expect({ in_files, in_wal }).toEqual({ in_files: CLEAR, in_wal: CLEAR });
});

test("a backup shows none of it, and inside it what the database shows", async () => {
  const file = join(folder, "canaries.backup");
  await backUp(app.owner, file, [decodeMasterKey(TEST_MASTER_KEY)], new Date());
  expect(marksInFiles([file])).toEqual([]);
  const lines = (await backupLines(file, TEST_MASTER_KEY)).join("\n");
  expect(marksIn(Buffer.from(lines)).sort()).toEqual(CLEAR);
});

test("logs, metrics and the requests that partners see show none of it", async () => {
  const lines = app.lines();
  expect(lines.map((line) => line["route"])).toContain("/patients/:patient_id");
  const metrics = await app.deps.metrics.text();
  expect(metrics).toContain("pestle_http_request_duration_seconds");
  const { rows } = await app.deps.db.raw("select * from request_log");
  const { rows: audit } = await app.deps.db.raw("select * from audit_entry");
  expect(marksIn(Buffer.from(JSON.stringify([lines, metrics, rows, audit])))).toEqual([]);
});
