import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { AuditProof } from "@pestle/contract";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { verifyAuditProof } from "../../../../sdk/src/verify-audit-proof.ts";
import { rootDestinations } from "../../../src/adapters/root-destinations.ts";
import { loadCommands } from "../../../src/cli/commands.ts";
import { newestRoot } from "../../../src/db/operations/audit-roots.ts";
import { readRoots } from "../../../src/usecases/operations/audit/read-roots.ts";
import { signAndShip } from "../../../src/usecases/operations/audit/sign-and-ship.ts";
import { checkDatabase } from "../../../src/usecases/operations/check-up.ts";
import { newOrder } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { selfSigned } from "../../support/tools/self-signed.ts";

let folder: string;
let file: string;
let app: TestApp;
/** What each destination received. */
const received = { udp: "", tcp: "", webhook: "" };
let webhook_status = 500;
const udp = createSocket("udp4", (message) => {
  received.udp += `${message.toString("utf8")}\n`;
});
const tcp = createServer((socket) => {
  socket.on("data", (data) => {
    received.tcp += data.toString("utf8");
  });
});
const webhook = createHttpServer(async (request, response) => {
  const body = (await request.toArray()).join("");
  if (webhook_status === 200) received.webhook += body;
  response.writeHead(webhook_status).end();
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pestle-roots-"));
  file = join(folder, "roots.jsonl");
  udp.bind(0, "127.0.0.1");
  tcp.listen(0, "127.0.0.1");
  webhook.listen(0, "127.0.0.1");
  await Promise.all([udp, tcp, webhook].map((one) => once(one, "listening")));
  const port = (one: { address(): unknown }) => (one.address() as AddressInfo).port;
  const to = [
    file,
    `syslog://127.0.0.1:${port(udp)}`,
    `syslog+tcp://127.0.0.1:${port(tcp)}`,
    `http://127.0.0.1:${port(webhook)}/hook?token=secret`,
  ];
  app = await startTestApp({ unlimited: true, env: { AUDIT_ROOTS_TO: to.join(",") } });
});
afterAll(async () => {
  await app.stop();
  udp.close();
  tcp.close();
  webhook.close();
  webhook.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const lines = (text: string) => readRoots(text.replaceAll(/(\d+ )?<109>/g, "\n<109>")).roots;
const finding = async () =>
  (await checkDatabase(app.config, app.deps.db, app.deps.now)).find(({ what }) => what === "audit log")!;
const wait = { timeout: 60_000, interval: 100 };
const sizes = () =>
  [readFileSync(file, "utf8"), received.udp, received.tcp, received.webhook].map((text) => lines(text).length);

test("the first root reaches every destination that answers; doctor and metrics show the one that does not", async () => {
  await vi.waitFor(async () => {
    await signAndShip(app.deps);
    expect(await finding()).toMatchObject({ state: "failed" });
    expect(sizes()).toEqual([1, 1, 1, 0]);
  }, wait);
  expect((await finding()).says).toMatch(
    /^roots do not reach webhook http:\/\/127\.0\.0\.1:\d+ since .* \(it answered 500\)/,
  );
  const metrics = await (await fetch(`${app.addresses.base_url}/metrics`)).text();
  expect(metrics).toMatch(/pestle_audit_roots_unshipped\{destination="webhook http:\/\/127.0.0.1:\d+"\} 1/);
  expect(metrics).toMatch(/pestle_audit_root_timestamp_seconds \d{10}/);
  expect(JSON.stringify(app.lines())).not.toContain("token=secret");
  expect(received.udp).toMatch(/^<109>1 \S+Z - pestle - audit-root - \{"form":1,/);
});

test("syslog over TLS reaches a server whose certificate is trusted, and no other", async () => {
  const paths = selfSigned(folder, "localhost", "127.0.0.1");
  const [cert, key] = [readFileSync(paths.cert), readFileSync(paths.key)];
  let arrived = "";
  const server = createTlsServer({ cert, key }, (socket) => {
    socket.on("data", (data) => {
      arrived += data.toString("utf8");
    });
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const target = `syslog+tls://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const line = JSON.stringify({ at: "2026-01-02T03:04:05Z", root: "abc" });
  await expect(rootDestinations(target)[0]!.deliver([line])).rejects.toThrow(/certificate/);
  expect(arrived).toBe("");
  // Node reads the trusted certificates when a process starts.
  const module = fileURLToPath(new URL("../../../src/adapters/root-destinations.ts", import.meta.url));
  const program = `import(${JSON.stringify(module)}).then(({ rootDestinations }) =>
    rootDestinations(${JSON.stringify(target)})[0].deliver([${JSON.stringify(line)}]))`;
  await promisify(execFile)(process.execPath, ["--import", "tsx", "--conditions=source", "-e", program], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: paths.cert },
  });
  const message = `<109>1 2026-01-02T03:04:05Z - pestle - audit-root - ${line}`;
  expect(arrived).toBe(`${Buffer.byteLength(message)} ${message}`);
  server.close();
});

test("a destination that was away gets every root, in order, when it answers again", async () => {
  app.advance(3_600_000);
  await vi.waitFor(async () => {
    await signAndShip(app.deps);
    expect(sizes()).toEqual([2, 2, 2, 0]);
  }, wait);
  webhook_status = 200;
  await vi.waitFor(async () => {
    await signAndShip(app.deps);
    expect(sizes()).toEqual([2, 2, 2, 2]);
  }, wait);
  expect(await finding()).toMatchObject({ state: "ok", says: expect.stringContaining(file) });
  const [in_file, ...others] = [readFileSync(file, "utf8"), received.udp, received.tcp, received.webhook].map(lines);
  for (const one of others) expect(one).toEqual(in_file);
});

test("the commands verify the log, prove an order, and give a partner all that it needs offline", async () => {
  const { account_id } = app.demo.partners[0]!;
  const { patient_id, body } = await newOrder(app);
  const placed = await app.call("/orders", {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  const { order_number } = (await placed.json()) as { order_number: string };
  const env = Object.fromEntries(Object.entries(app.config).map(([name, value]) => [name, String(value)]));
  const commands = await loadCommands();
  const pestle = async (name: string, argument = "", options: Record<string, unknown> = {}) =>
    (await commands.find((row) => row.name === name)!.run(options, argument, env))!;

  const proof = (await pestle("audit prove", order_number, { account: account_id })).data as AuditProof;
  const { keys } = (await (await fetch(`${app.addresses.base_url}/audit-keys.json`)).json()) as {
    keys: { key_id: string; public_key: string }[];
  };
  expect(keys).toHaveLength(1);
  const { entries } = verifyAuditProof(proof, keys[0]!.public_key);
  expect(entries.map(({ action }) => action)).toContain("order_created");
  await expect(pestle("audit prove", "NOSUCHORDER", { account: account_id })).rejects.toThrow("has no entry about");

  // The service's own job can be shipping at the same moment.
  await vi.waitFor(async () => {
    const rooted = await pestle("audit root");
    expect(rooted).toMatchObject({ failed: false, text: expect.stringContaining(`\nshipped to file ${file}`) });
  }, wait);
  const size = (await newestRoot(app.deps.db))!.size;
  expect(size).toBeGreaterThan(proof.root.size - 1);
  const key_file = join(folder, "key.pem");
  writeFileSync(key_file, keys[0]!.public_key);
  const fine = await pestle("audit verify", "", { roots: file, publicKey: key_file });
  expect(fine).toMatchObject({ failed: false, data: { faults: [], shipped_roots: expect.any(Number) } });
  expect(fine.text).toContain("complete and unchanged");

  const csv = await pestle("audit disclosures", patient_id, { account: account_id });
  expect(csv.text.split(/\r?\n/)[0]).toBe("at,who,role,action,fields,subject,address,request_id");
  expect(csv.text).toMatch(/\n\S+,"?command line, [^\n]+,command line,exported who saw a patient's data,/);
  expect(csv.text).toContain("created an order");
  const out = join(folder, "disclosures.csv");
  await pestle("audit disclosures", patient_id, { account: account_id, out });
  expect(readFileSync(out, "utf8").split("\n").length).toBeGreaterThan(csv.text.split("\n").length);
  await expect(pestle("audit disclosures", "nobody-9", { account: account_id })).rejects.toThrow("no such patient");
  // A patient's id can be a clinic's record number, so the log of commands has none.
  const { rows: ran } = await app.owner.raw("select distinct subject from audit_entry where action = 'command_run'");
  expect(ran.map(({ subject }) => subject)).toContain("audit disclosures");

  const { audit_id } = entries[0]!;
  await app.owner.raw("update audit_entry set role = 'nobody' where audit_id = $1", [audit_id]);
  const broken = await pestle("audit verify", "", { roots: file });
  expect(broken).toMatchObject({ failed: true, data: { faults: [{ kind: "changed", audit_id }] } });
  expect(broken.text).toContain(`Entry ${audit_id} `);
  const added = await pestle("audit key", "", { new: true });
  expect(added.data).toHaveLength(2);
  writeFileSync(join(folder, "not-roots"), "hello\n");
  await expect(pestle("audit verify", "", { roots: join(folder, "not-roots") })).rejects.toThrow("Line 1 of");
});
