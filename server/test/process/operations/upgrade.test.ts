import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { gunzipSync } from "node:zlib";
import type { CreatedWebhookEndpoint, Order, Patient, Statement, StatementPage } from "@pestle/contract";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyStandardWebhook, verifyWebhook } from "../../../../sdk/src/index.ts";
import { readConfig } from "../../../src/config.ts";
import { openDb } from "../../../src/db/db.ts";
import { readMigrations } from "../../../src/db/migrate.ts";
import { listLedgerFaults } from "../../../src/db/statements/ledger-faults.ts";
import type { Demo } from "../../../src/seed/demo-file.ts";
import { checkDatabase, NO_PHARMACIST } from "../../../src/usecases/operations/check-up.ts";
import { closeMonths } from "../../../src/usecases/statements/close-months.ts";
import { ask } from "../../support/patient.ts";
import { openReceiver } from "../../support/receiver.ts";
import { createTestDatabase, startTestApp, type TestApp } from "../../support/test-app.ts";
import { runCli } from "../../support/tools/run-cli.ts";
import { signedIn, testLicense } from "../../support/web.ts";
import { webhookCalls } from "../../support/webhook-api.ts";

/**
 * What an operator of 0.1.0 has: a backup, the database as PostgreSQL 15 dumps it, the settings file, and the printed
 * credentials. 0.1.0 created all of it, and it is never created again: see its README.
 */
const fixture = (name: string) => new URL(`../../fixtures/0.1.0/${name}`, import.meta.url);
const json = <Value>(name: string) => JSON.parse(readFileSync(fixture(name), "utf8")) as Value;

type Known = {
  master_key: string;
  orders: Order[];
  patient: Patient;
  endpoint: CreatedWebhookEndpoint & { secret: string };
};
const known = json<Known>("known.json");
const demo = json<Demo>("demo.json");
const settings = parseEnv(readFileSync(fixture("pestle.env"), "utf8")) as Record<string, string>;

const ways: Record<string, (url: string) => Promise<void>> = {
  "its backup is restored": async (DATABASE_URL) => {
    const env = { DATABASE_URL, MASTER_KEY: known.master_key };
    const { code, stderr } = await runCli(["restore", fixture("pestle.backup").pathname], env);
    expect({ code, stderr }).toMatchObject({ code: 0 });
  },
  "its database is taken over": async (connectionString) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(gunzipSync(readFileSync(fixture("database.sql.gz"))).toString("utf8"));
    await client.end();
  },
};

describe.each(Object.entries(ways))("a service of 0.1.0 continues when %s", (_, fill) => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let app: TestApp;
  beforeAll(async () => {
    database = await createTestDatabase("");
    await fill(database.url);
    app = await startTestApp({ url: database.url, demo, env: { MASTER_KEY: known.master_key } });
  });
  afterAll(async () => {
    await app?.stop();
    await database.drop();
  });

  test("its schema is migrated", async () => {
    const { rows } = await app.deps.db.raw("select version from schema_migration order by version");
    expect(rows.map(({ version }) => version)).toEqual(readMigrations().map(({ version }) => version));
  });

  test("treatment text that 0.1.0 stored in clear is sealed, and no clear column keeps it", async () => {
    const { rows } = await app.deps.db.raw(`
      select (select count(*) from prescription where written_sealed is not null) as prescriptions,
        (select count(*) from orders where reference_sealed is not null) as orders,
        (select count(*) from webhook_event where body_sealed is not null) as events,
        (select count(*) from prescription where sig_text is not null or prescriber_npi is not null)
          + (select count(*) from orders where reference is not null)
          + (select count(*) from webhook_event where body is not null)
          + (select count(*) from intake_message where answer is not null)
          + (select count(*) from review where facts is not null)
          + (select count(*) from patient where patient_id is not null)
          + (select count(*) from order_item where prescriber_name is not null) as clear`);
    const { clear, ...sealed } = rows[0]!;
    expect(Number(clear)).toBe(0);
    for (const count of Object.values(sealed)) expect(Number(count)).toBeGreaterThan(0);
    const { text } = await ask(app, `/patients/${known.patient.patient_id}/rx`);
    const { medication_request } = JSON.parse(text) as { medication_request: { sig_text: string }[] };
    expect(medication_request.map(({ sig_text }) => sig_text)).not.toContain(undefined);
    for (const { order_number, reference } of known.orders) {
      const found = await ask(app, `/orders?reference=${reference}`);
      expect(JSON.parse(found.text).orders).toMatchObject([{ order_number }]);
    }
  });

  test("credentials and passwords still work", async () => {
    for (const partner of demo.partners.keys()) expect((await app.call("/brands", { partner })).status).toBe(200);
    expect((await signedIn(app, demo.operator)).role).toBe("admin");
    for (const { portal } of demo.partners) expect((await signedIn(app, portal)).role).toBe("partner_admin");
  });

  test("the log and the doctor say that a pharmacist is missing, and the admin adds one who can approve", async () => {
    expect(app.lines().map(({ msg }) => msg)).toContain(NO_PHARMACIST);
    const look = async () =>
      (await checkDatabase(app.config, app.deps.db, app.deps.now)).find(({ what }) => what === "pharmacists");
    expect(await look()).toEqual({ what: "pharmacists", state: "warning", says: NO_PHARMACIST });
    const admin = await signedIn(app, demo.operator);
    const email = "new.pharmacist@larkspur.example";
    const made = await admin.send("POST", "/dashboard/people", {
      email,
      name: "New",
      role: "pharmacist",
      ...testLicense,
    });
    expect(made.status).toBe(201);
    expect(await look()).toMatchObject({ state: "ok" });
    await signedIn(app, { email, password: made.body.password });
  });

  test("orders and their patients are unchanged", async () => {
    for (const order of known.orders) {
      const { text } = await ask(app, `/orders/${order.order_number}`);
      expect(JSON.parse(text)).toMatchObject(order);
    }
    const { text } = await ask(app, `/patients/${known.patient.patient_id}`);
    expect(JSON.parse(text)).toMatchObject(known.patient);
    // 0.1.0 had empty lists only, which say nothing.
    const { allergies_status, entries } = (JSON.parse(text) as Patient).patient_safety;
    expect([allergies_status, entries]).toEqual(["not_asked", []]);
  });

  test("orders that shipped with 0.1.0 are in the statements, and their months close", async () => {
    const { account_id } = demo.partners[0]!;
    const { rows } = await app.deps.db.raw(
      `select coalesce(sum(case kind when 'refund' then -amount_cents else amount_cents end), 0)::integer as cents,
        count(*)::integer as payments
      from payment_entry where account_id = $1 and kind in ('capture', 'refund')`,
      [account_id],
    );
    expect(rows[0]!["payments"]).toBeGreaterThan(0);
    expect(await listLedgerFaults(app.deps.db, account_id)).toEqual([]);
    await closeMonths(app.deps, account_id);
    const { statements } = JSON.parse((await ask(app, "/statements")).text) as { statements: Statement[] };
    const total = ({ totals }: Statement) => totals.partner.total_cents + totals.patient.total_cents;
    expect(statements.reduce((sum, one) => sum + total(one), 0)).toBe(rows[0]!["cents"]);
    for (const { status, closes_at } of statements) {
      expect(status).toBe(Date.parse(closes_at) > app.deps.now().getTime() ? "open" : "closed");
    }
    const { lines } = JSON.parse((await ask(app, `/statements/${statements[0]!.month}`)).text) as StatementPage;
    expect(new Set(lines.map(({ kind }) => kind))).toEqual(new Set(["item", "shipment"]));
  });

  test("an order continues, and its webhook is signed with the original secrets", async () => {
    const receiver = await openReceiver((_, response) => response.writeHead(204).end());
    const { id, signing_secret, secret } = known.endpoint;
    await webhookCalls(app).patch(id, { url: receiver.url });
    const [waiting] = known.orders.filter(({ order_status }) => order_status === "Processing");
    const { order_number } = waiting!;
    const moved = await ask(app, "/simulate", {
      simulation_type: "order",
      simulation: { order_number, to: "Delivered" },
    });
    expect([moved.status, moved.text]).toEqual([202, expect.stringContaining("Delivered")]);
    const delivered = () =>
      receiver.received.find(({ body }) => body.includes(order_number) && body.includes('"Delivered"'));
    await expect.poll(delivered).toBeDefined();
    const { headers, body } = delivered()!;
    const rawBody = Buffer.from(body, "latin1");
    const { client_secret } = demo.partners[0]!;
    expect(verifyStandardWebhook({ rawBody, headers, signing_secret })).toMatchObject({
      order_number,
    });
    expect(
      verifyWebhook({ rawBody, headers, url: receiver.url, client_secrets: [client_secret], webhook_secret: secret }),
    ).toMatchObject({ order_number });
    await receiver.close();
  });
});

test("the settings file of 0.1.0 is valid once TRUST_PROXY names the proxy, and the start says what to write", () => {
  const old = { ...settings, MASTER_KEY: known.master_key };
  expect(() => readConfig(old)).toThrow(/^TRUST_PROXY takes addresses, not a number .*TRUST_PROXY=127\.0\.0\.1,::1/);
  const { MASTER_KEY, ...rest } = readConfig({ ...old, TRUST_PROXY: "127.0.0.1,::1" });
  expect(rest).toMatchObject({ OPERATOR_NAME: "Larkspur", SECOND_FACTOR: "required", PHARMACY_STATE: "ME" });
});

test("the backup of 0.1.0 does not open with another master key", async () => {
  const { url: DATABASE_URL, drop } = await createTestDatabase("");
  const env = { DATABASE_URL, MASTER_KEY: "8".repeat(64) };
  const { code, stderr } = await runCli(["restore", fixture("pestle.backup").pathname], env);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("master key") });
  const db = openDb({ connection: { connectionString: DATABASE_URL }, pool_size: 1, named_statements: true });
  expect((await db.raw("select 1 from pg_tables where schemaname = 'public'")).rows).toEqual([]);
  await db.close();
  await drop();
});
