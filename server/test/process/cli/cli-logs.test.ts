import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeDemo } from "../../../src/seed/demo-file.ts";
import { keepRequests } from "../../../src/usecases/operations/keep-requests.ts";
import { post } from "../../support/orders.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";
import { followCli, runCli } from "../../support/tools/run-cli.ts";
import { runCommand } from "../../support/tools/run-command.ts";
import { until } from "../../support/tools/until.ts";

let app: TestApp;
let env: Record<string, string>;
let folder: string;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  folder = mkdtempSync(join(tmpdir(), "pestle-logs-"));
  writeDemo(app.config.DATA_DIR, app.demo);
  const { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR } = app.config;
  env = { DATABASE_URL, DATABASE_OWNER_URL, DATABASE_JOBS_URL, DATA_DIR, MASTER_KEY: TEST_MASTER_KEY };
});
afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

type Line = { request_id: string; method: string; path: string; status: number; errors: { code: number }[] };
/** One successful request, one rejected and one not found; returns their ids. */
async function someRequests(): Promise<[string, string, string]> {
  const good = await app.call("/v1/brands");
  const bad = await post(app, { shipping: { method_id: 1 }, patient: { patient_id: "nobody" }, items: [{}] });
  const none = await app.call("/v1/orders/0000000000");
  await keepRequests(app.deps);
  return [good, bad, none].map(({ headers }) => new Headers(headers as never).get("x-request-id")!) as never;
}
const show = (request_id: string, options: Record<string, unknown> = {}, settings = env) =>
  runCommand<Line>(settings, "logs show", options, request_id);
const tailed = async (...args: string[]) => {
  const { code, stdout, stderr } = await runCli(["logs", "tail", "--no-follow", "--json", ...args], env);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
};

test("logs tail shows the newest requests, oldest first, and can omit the successful ones", async () => {
  const ids = await someRequests();
  const all = await tailed("--last", "3");
  expect(all.map(({ request_id }) => request_id)).toEqual(ids);
  expect(all[0]).toMatchObject({ method: "GET", status: 200, errors: [] });
  const refused = await tailed("--errors-only", "--status", "4xx", "--since", "1h");
  expect(refused.map(({ request_id }) => request_id)).toEqual(ids.slice(1));
});

test("logs tail follows: each request once, as it arrives, one line without colors in a pipe", async () => {
  const following = followCli(["logs", "tail", "--last", "0"], env);
  const seen = new Set<string>();
  // The first poll is done once a request of ours appears.
  await until(async () => {
    for (const id of await someRequests()) seen.add(id);
    return following.lines().length > 0;
  }, "it follows");
  const [good, bad] = await someRequests();
  await until(() => following.lines().some((line) => line.includes(good)), "it is told");
  await until(() => following.lines().some((line) => line.includes(bad)), "it is told");
  const line = following.lines().find((one) => one.includes(bad))!;
  expect(line).toMatch(new RegExp(`^\\S+Z  POST    422 +\\d+ ms  ${bad}  /orders  42\\d{3}`));
  const told = following.lines().map((one) => /[0-9a-f-]{36}/.exec(one)![0]);
  expect(new Set(told).size).toBe(told.length);
  expect(await following.stop()).toBe(0);
});

test("logs show explains the error and how to fix it", async () => {
  const [good, bad] = await someRequests();
  expect((await show(good)).data.errors).toEqual([]);
  const { text, data } = await show(bad.toUpperCase());
  expect(text).toMatch(/^request_id +\S+\nat .+\nrequest +POST \/orders\nstatus +422\n/);
  for (const { code } of data.errors) expect(text).toMatch(new RegExp(`^! ${code} \\S.+: \\S.+`, "m"));
  await expect(show(bad, { partner: "Juniper Care" })).rejects.toThrow("The account has no such request");
  await expect(show("42")).rejects.toThrow("Give the request id from X-Request-Id");
  await expect(show(bad, { account: "nobody" })).rejects.toThrow("This database has no such account.");
});

test("without the database it reads over the API, but no other account", async () => {
  const { client_id, client_secret } = app.demo.partners[0]!;
  const { base_url, sandbox_auth_url } = app.addresses;
  const away = {
    DATA_DIR: folder,
    CLIENT_SECRET: client_secret,
    BASE_URL: base_url,
    SANDBOX_AUTH_URL: sandbox_auth_url,
  };
  const [, bad] = await someRequests();
  const account = { clientId: client_id, environment: "sandbox" };
  const { data } = await show(bad, account, away);
  expect(data).toEqual((await show(bad, { account: client_id.split("-")[0] })).data);
  await expect(show(bad, { account: "any" }, away)).rejects.toThrow("not on this machine. Omit it to use the API.");
});

test("an operator reads the requests of any account from the database", async () => {
  const ids = await someRequests();
  const { account_id } = app.demo.partners[0]!;
  const refused = await tailed("--account", account_id, "--errors-only", "--last", "2");
  expect(refused.map(({ request_id }) => request_id)).toEqual(ids.slice(1));
});

test("logs tail rejects unknown options", async () => {
  const tail = (options: Record<string, unknown>) => runCommand(env, "logs tail", options);
  await expect(tail({ status: "many" })).rejects.toThrow("--status takes a status such as 422, or 4xx.");
  await expect(tail({ since: "yesterday" })).rejects.toThrow("--since takes a time with time zone");
});
