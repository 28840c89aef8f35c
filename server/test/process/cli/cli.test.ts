import type { ChildProcess } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oauthErrors } from "@pestle/contract";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Demo, readDemo } from "../../../src/seed/demo-file.ts";
import { runCli, startCli, stopCli } from "../../support/tools/run-cli.ts";

/** The real program next to the real service on an embedded database: processes, sockets, files. */

vi.setConfig({ testTimeout: 60_000 });

let folder: string;
let env: Record<string, string>;
let service: ChildProcess;
let demo: Demo;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "pestle-cli-"));
  env = { DATA_DIR: join(folder, "data"), PORT: "0", AUTH_PORT: "0", SANDBOX_AUTH_PORT: "0", LOG_LEVEL: "warn" };
  // The database's user can pass through the folder when the tests run as root.
  chmodSync(folder, 0o711);
  service = await startCli(env);
  demo = readDemo(env["DATA_DIR"] ?? "")!;
});
afterAll(async () => {
  if (service.exitCode === null) await stopCli(service);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

const pestle = (...args: string[]) => runCli(args, env);
const brands = (token: string) =>
  fetch(`${demo.base_url}/v1/brands`, { headers: { accept: "application/json", authorization: `Bearer ${token}` } });

async function tokenStatus({ client_id, client_secret }: Secret): Promise<number> {
  const body = new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id, client_secret });
  return (await fetch(`${demo.auth_url}/oauth/token`, { method: "POST", body })).status;
}

test("a credential goes through its whole life next to the running service", async () => {
  const partner = await pestle(
    "partner",
    "create",
    "--name",
    "Thistle",
    "--environment",
    "production",
    "--workflow",
    "api_driven",
    "--json",
  );
  expect(partner).toMatchObject({ code: 0, stderr: "" });
  const { account_id } = partner.json() as { account_id: string };

  const created = (await pestle("credential", "create", "--account", account_id, "--json")).json() as Secret;
  const { client_id } = created;
  const first = await runCli(["token", "--client-id", client_id, "--environment", "production"], {
    ...env,
    CLIENT_SECRET: created.client_secret,
  });
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toMatch(/^\S+\n$/);
  const access_token = first.stdout.trim();
  expect((await brands(access_token)).status).toBe(200);

  const rotated = (await pestle("credential", "rotate", client_id, "--json")).json() as Secret;
  expect(await tokenStatus(created)).toBe(200);
  expect(await tokenStatus(rotated)).toBe(200);

  expect(await pestle("credential", "rotate", client_id, "--finish")).toMatchObject({ code: 0 });
  expect(await tokenStatus(created)).toBe(401);
  expect(await tokenStatus(rotated)).toBe(200);
  // A finished rotation ends the secret, not its tokens.
  expect((await brands(access_token)).status).toBe(200);

  expect(await pestle("credential", "revoke", client_id)).toMatchObject({ code: 0 });
  await vi.waitFor(async () => expect((await brands(access_token)).status).toBe(401), { interval: 20, timeout: 5_000 });
  expect(await tokenStatus(rotated)).toBe(401);
});

test("without a client id the demo's first partner gets a token, and only the token is printed", async () => {
  const [plain, whole, wrong] = await Promise.all([
    pestle("token"),
    pestle("token", "--partner", "Harbor Health", "--json"),
    runCli(["token", "--client-id", demo.partners[1]!.client_id, "--secret-stdin"], env, "not the secret\n"),
  ]);
  expect(plain).toMatchObject({ code: 0, stderr: "" });
  expect(plain.stdout).toMatch(new RegExp(`^${demo.partners[0]!.account_id}_[\\w-]{43}\n$`));
  expect(whole.json()).toMatchObject({ token_type: "Bearer", expires_in: 43_200, scope: "partners" });
  expect(wrong).toMatchObject({
    code: 4,
    stdout: "",
    stderr: `pestle: The token server refused: invalid_client. ${oauthErrors.invalid_client[1]}\n`,
  });
});

test("keys are rotated and the master key changed next to the running service, which continues", async () => {
  expect((await pestle("keys", "rotate", "--json")).json()).toMatchObject({ key_id: 2, dropped_key_ids: [1] });
  expect(await pestle("keys", "rotate", "--master")).toMatchObject({ code: 0, stderr: "" });
  expect((await pestle("keys", "rotate", "--json")).json()).toMatchObject({ key_id: 3, dropped_key_ids: [2] });
  expect(readdirSync(env["DATA_DIR"]!).filter((name) => name.startsWith("master.key"))).toEqual(["master.key"]);
  // No request has used this client yet, so its secret is decrypted now, with the key that the service learned of.
  expect(await pestle("token", "--partner", "Juniper Care")).toMatchObject({ code: 0 });
});

test("a second service on the same port is rejected in one line that names the setting", async () => {
  const port = new URL(demo.auth_url).port;
  expect(await runCli(["start"], { ...env, AUTH_PORT: port, LOG_LEVEL: "silent" })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `pestle: AUTH_PORT ${port} is in use. Stop the program that uses it, or set AUTH_PORT to a free port.\n`,
  });
});

test("the doctor finds the running service healthy, and recognizes its ports", async () => {
  const { port } = new URL(demo.base_url);
  const { code, stdout } = await runCli(["doctor"], { ...env, PORT: port });
  expect(stdout).toContain(`the service answers on ${port}`);
  // The demo simulates the providers of production, and the doctor says so.
  const troubles = stdout.split("\n").filter((line) => /^[!✗]/.test(line));
  expect(troubles).toHaveLength(3);
  for (const trouble of troubles) expect(trouble).toMatch(/^! provider of .* simulated in production/);
  expect(code).toBe(0);
});

test("the index key is not rotated next to the running service", async () => {
  const refused = await pestle("keys", "rotate", "--index");
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(
    /^pestle: Pestle has \d+ open connections to this database\. Stop all of its processes .*\n$/,
  );
  expect(await pestle("keys", "rotate", "--index", "--master")).toMatchObject({
    code: 2,
    stderr: "pestle: Give --master or --index, not both.\n",
  });
  const { index_key } = (await pestle("keys", "show", "--json")).json() as { index_key: { rotations: number } };
  expect(index_key.rotations).toBe(0);
});

test("without the service, a command starts the embedded database and stops it afterwards", async () => {
  expect(await stopCli(service)).toBe(0);
  const file = join(folder, "whole.backup");
  expect(await pestle("backup", file)).toMatchObject({ code: 0, stderr: "" });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(existsSync(join(env["DATA_DIR"]!, "postgres/postmaster.pid"))).toBe(false);

  // No master key in the other folder: rejected, and no database is created there.
  const elsewhere = { ...env, DATA_DIR: join(folder, "elsewhere") };
  const refused = await runCli(["restore", file], elsewhere);
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(/^pestle: The backup belongs to the master key with fingerprint [0-9a-f]{16}.*\n$/);
  expect(existsSync(elsewhere.DATA_DIR)).toBe(false);

  // An empty machine with the key.
  mkdirSync(elsewhere.DATA_DIR);
  copyFileSync(join(env["DATA_DIR"]!, "master.key"), join(elsewhere.DATA_DIR, "master.key"));
  expect(await runCli(["restore", file], elsewhere)).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await runCli(["partner", "list", "--json"], elsewhere);
  expect(JSON.parse(stdout)).toEqual(JSON.parse((await pestle("partner", "list", "--json")).stdout));
});

test("the index key is rotated while the service is stopped, and the service starts with the new one", async () => {
  const rotated = await pestle("keys", "rotate", "--index", "--json");
  expect(rotated).toMatchObject({ code: 0, stderr: "" });
  const { index_key_id } = rotated.json() as { index_key_id: string };
  const shown = await pestle("keys", "show");
  expect(shown.stdout).toMatch(
    new RegExp(`index key +${index_key_id} \\(created \\d{4}-\\d\\d-\\d\\d, rotated once\\)`),
  );
  service = await startCli(env);
  expect(await pestle("token", "--partner", "Juniper Care")).toMatchObject({ code: 0 });
  expect(await pestle("doctor")).toMatchObject({ code: 0 });
});

type Secret = { client_id: string; client_secret: string };
