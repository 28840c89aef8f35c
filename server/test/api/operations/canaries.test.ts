import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** What docs/guides/security.md says is in clear. Remove a row when its column is sealed. */
const CLEAR = ["drug", "endpoint", "idempotency", "messageid", "mrn", "sender"];

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
  await webhookCalls(app).create({ url: receiver.url, description: mark("endpoint") });

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
  const safety = { allergies: [mark("safety")], medications: [mark("medicine")], health_conditions: [mark("illness")] };
  expect((await patient.patch({ phone: OTHER_PHONE, patient_safety: safety })).status).toBe(200);
  const address = { ...goodAddress, last_name: mark("receiver"), street2: mark("door") };
  expect((await patient.addAddress(address)).status).toBe(201);
  expect((await patient.addDocument({ ...goodDocument, number: `D${OTHER_PHONE}` })).status).toBe(201);
  const order = await placed(
    app,
    {
      reference: mark("reference"),
      shipping: { method_id: 1 },
      patient: { patient_id },
      address: { ...goodAddress, street2: mark("floor") },
      payment: { payer: "patient", token: mark("card") },
      items: [
        {
          prescription_id,
          quantity: 1,
          package_size: 90,
          prescriber_name: mark("prescriber"),
          prescriber_phone: "4155550199",
        },
      ],
    },
    { headers: { "idempotency-key": mark("idempotency") } },
  );
  order_number = order.order_number;
  for (const path of [`/orders?patient_id=${patient_id}`, `/orders?reference=${mark("reference")}`]) {
    expect(JSON.parse((await ask(app, path)).text).orders).toMatchObject([{ order_number, patient_id }]);
  }
  const pharmacist = await webPerson(app, "pharmacist");
  const { account_id } = app.demo.partners[0]!;
  const page = `/dashboard/orders/${account_id}/${order_number}`;
  const { revision } = (await pharmacist.get(page)).body;
  const noted = await pharmacist.send("POST", `${page}/work`, { event: "note", revision, reason: mark("remark") });
  expect([noted.status, noted.text]).toEqual([200, expect.stringContaining(mark("remark"))]);
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
  for (const phone of [PHONE, OTHER_PHONE]) if (bytes.includes(phone)) found.add("phone");
  return [...found];
}
const marksInFiles = (files: string[]) => [...new Set(files.flatMap((file) => marksIn(readFileSync(file))))].sort();

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
  const in_wal = marksInFiles(written.map((name) => join(directory, "pg_wal", name)));
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
  expect(metrics.body).toContain("pestle_http_request_duration_seconds");
  const { rows } = await app.deps.db.raw("select * from request_log");
  const { rows: audit } = await app.deps.db.raw("select action from audit_entry");
  expect(marksIn(Buffer.from(JSON.stringify([lines, metrics.body, rows, audit])))).toEqual([]);
});
