import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CertifyReport, signForTest, type WebhookBody } from "@pestle/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOf } from "../../sdk/test/support/client-of.ts";
import { writeDemo } from "../../server/src/seed/demo-file.ts";
import { startTestApp, type TestApp } from "../../server/test/support/test-app.ts";
import { refusalOf, runCommand } from "../../server/test/support/tools/run-command.ts";
import { until } from "../../server/test/support/tools/until.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
});
afterAll(() => app.stop());

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Starts an example as a reader would, with these settings and nothing else from our environment. */
function run(example: string, env: Record<string, string>) {
  const args = ["--import", "tsx", "--conditions=source", `examples/${example}/index.mjs`];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: { PATH: process.env["PATH"] ?? "", ...env } });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      texts[name] += text;
    });
  }
  const closed = once(child, "close") as Promise<[number | null]>;
  return {
    texts,
    lines: () => texts.stdout.split("\n").slice(0, -1),
    ended: async () => (await closed)[0],
    stop: () => child.kill("SIGTERM"),
  };
}

test("the partner orders once for each payment, resolves the holds that it can, and learns every outcome", async () => {
  const pestle = clientOf(app);
  const { client_id, client_secret } = app.demo.partners[0]!;
  const { base_url, sandbox_auth_url } = app.demo;
  const settings = { CLIENT_ID: client_id, CLIENT_SECRET: client_secret, BASE_URL: base_url };
  const partner = run("partner", { ...settings, AUTH_URL: sandbox_auth_url });
  expect([await partner.ended(), partner.texts.stderr]).toEqual([0, ""]);
  expect(partner.lines().at(-1)).toBe("done");

  const orders = await pestle.orders.list().take(100);
  const told = await Promise.all(
    orders.map(async ({ order_number, order_status, patient_id, reference, items }) => {
      const asked = await pestle.orders.actionRequests(order_number);
      const actions = asked.map(({ event }) => event).join(" ");
      expect(reference).toBe(`inv-${items[0]!.prescription_id}`);
      return [patient_id.split("-")[0], order_status, actions];
    }),
  );
  expect(told.sort()).toEqual([
    ["allergic", "Canceled", "cancel"],
    ["moved", "Delivered", "accept_suggested_address"],
    ["plain", "Delivered", ""],
    ["silent", "Delivered", "update_email"],
  ]);
  expect(partner.lines()).toContainEqual(expect.stringMatching(/^inv-\d+ Allergy Detected: waits for a person$/));
  expect(await pestle.webhookEndpoints.list()).toEqual([]);
});

test("the partner as a service is certified: it orders each prescription once on a day when everything goes wrong", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pestle-certify-"));
  writeDemo(app.config.DATA_DIR, app.demo);
  const env = { DATA_DIR: app.config.DATA_DIR, XDG_CONFIG_HOME: folder, PATH: process.env["PATH"] ?? "" };
  const out = join(folder, "report.json");
  const command = `node --import tsx --conditions=source ${join(ROOT, "examples/partner/serve.mjs")} > /dev/null`;
  const { data, text } = await runCommand<CertifyReport>(env, "certify orders", { command, out, name: "The shop" });
  expect(data.checks.filter(({ result }) => result !== "passed")).toEqual([]);
  expect(data).toMatchObject({ kind: "orders", subject: "The shop", passed: true, run_by: "developer" });
  expect(text).toMatch(/\n28 of 28 checks passed: certified\.\nSigned report: .+report\.json$/);
  expect((await runCommand(env, "certify verify", {}, out)).text).toMatch(/\nThe report is unchanged\.$/);
  const ended = runCommand(env, "certify orders", { command: "exit 3", out });
  expect(await refusalOf(ended)).toBe("1 The command ended with exit code 3 before the day was over.");
  rmSync(folder, { recursive: true, force: true });
});

test("the receiver accepts each event once, rejects requests from other senders, and is certified", async () => {
  const pestle = clientOf(app);
  const { client_id, client_secret } = app.demo.partners[0]!;
  const url = `http://127.0.0.1:${await freePort()}/hook`;
  const secret = "a secret of the receiver";
  const { id, signing_secret } = await pestle.webhookEndpoints.create({ url, secret });
  const receiver = run("receiver", {
    PORT: new URL(url).port,
    CLIENT_SECRET: client_secret,
    WEBHOOK_SECRET: secret,
    SIGNING_SECRET: signing_secret,
    STATE: "yes",
  });
  const seen = (line: RegExp) => until(async () => receiver.lines().some((one) => line.test(one)), String(line));
  await seen(/^listening/);

  const sample = await pestle.webhookEndpoints.test(id, { event_type: "ORDER_EXCEPTION" });
  await seen(new RegExp(`^test ORDER_EXCEPTION ${sample.event_id}$`));
  const { patient_id } = await pestle.simulate.prescription({ drug_name: "atorvastatin" });
  await seen(new RegExp(`^RX_RECEIVED ${patient_id} `));
  const [event] = await pestle.events
    .list({ event_type: "RX_RECEIVED", limit: 200 })
    .take(200)
    .then((all) => all.slice(-1));
  await pestle.events.redeliver(event!.event_id);
  await until(async () => {
    const attempts = await pestle.events.attempts(event!.event_id).take(10);
    return attempts.filter(({ delivered }) => delivered).length === 2;
  }, "it was delivered twice");

  const forged = { ...event!.body, event_id: "forged" } as WebhookBody;
  const signed = signForTest({ event: forged, url, client_secret: `not ${client_id}`, webhook_secret: secret });
  const answer = await fetch(url, { method: "POST", headers: signed.headers, body: signed.rawBody });
  expect(answer.status).toBe(401);
  expect(receiver.lines().filter((line) => line.includes(event!.event_id))).toHaveLength(1);

  const folder = mkdtempSync(join(tmpdir(), "pestle-certify-"));
  writeDemo(app.config.DATA_DIR, app.demo);
  writeFileSync(join(folder, "endpoint.json"), JSON.stringify({ secret, signing_secret }));
  const env = { DATA_DIR: app.config.DATA_DIR, XDG_CONFIG_HOME: folder };
  const out = join(folder, "report.json");
  const options = { out, secrets: join(folder, "endpoint.json") };
  const state = url.replace(/hook$/, "state");
  const certified = await runCommand<CertifyReport>(env, "certify", { ...options, state }, url);
  expect(certified.text).toMatch(/\n24 of 24 checks passed: certified\.\nSigned report: .+report\.json$/);
  expect(certified).toMatchObject({
    failed: false,
    data: { passed: true, effects_checked: true, run_by: "developer" },
  });
  expect((await runCommand(env, "certify verify", {}, out)).text).toMatch(/\nThe report is unchanged\.$/);
  writeFileSync(out, readFileSync(out, "utf8").replace('"effects_checked": true', '"effects_checked": false'));
  const changed = await runCommand(env, "certify verify", {}, out);
  expect(changed).toMatchObject({ failed: true, text: "The report was changed after it was signed." });
  // Without the endpoint's secrets, certify signs as `pestle listen` does, and this receiver refuses that.
  const unknown = await runCommand<CertifyReport>(env, "certify", { out }, url);
  expect(unknown).toMatchObject({ failed: true, data: { effects_checked: false, passed: false } });
  expect(unknown.text).toContain("It answered 401 to a correct delivery.\n");
  for (const wrong of [
    "ftp://127.0.0.1/hook",
    "127.0.0.1:3000",
    "http://me@127.0.0.1/hook",
    "http://127.0.0.1/hook#top",
  ]) {
    expect(await refusalOf(runCommand(env, "certify", { out }, wrong))).toMatch(
      /^2 The receiver's URL must begin with/,
    );
  }
  rmSync(folder, { recursive: true, force: true });

  receiver.stop();
  expect([await receiver.ended(), receiver.texts.stderr, receiver.texts.stdout.includes("forged")]).toEqual([
    0,
    "",
    false,
  ]);
});

test("the receiver does not start without the secrets for verification", async () => {
  const receiver = run("receiver", { CLIENT_SECRET: "a secret" });
  expect(await receiver.ended()).toBe(1);
  expect(receiver.texts.stderr).toMatch(/^WEBHOOK_SECRET is not set: .+\n$/);
});

test("the examples need only the SDK and Node", () => {
  const files = readdirSync(join(ROOT, "examples"), { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".mjs"))) {
    const imports = readFileSync(join(ROOT, "examples", file), "utf8").matchAll(/^import .* from "(.+)";$/gm);
    for (const [, target] of imports) expect(target).toMatch(/^(node:|\.\/|@pestle\/sdk)/);
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
