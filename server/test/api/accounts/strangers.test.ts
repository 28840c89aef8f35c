import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { UNKNOWN_TOKENS } from "../../../src/usecases/accounts/check-bearer.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { askTokenServer } from "../../support/token-request.ts";
import { watchRows } from "../../support/tools/watch-rows.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ unlimited: true });
  await app.token(0);
  expect((await app.call("/brands")).status).toBe(200);
});
afterAll(() => app.stop());

const inventedToken = () => `${"a".repeat(12)}_${randomBytes(32).toString("base64url")}`;

/** Runs a call with a stopped clock, so that no limit refills, and returns how often the tokens table was read. */
async function tokenReads(call: () => Promise<void>): Promise<number> {
  let reads = 0;
  const stop = watchRows(app.environments.production.tenants, (text) => {
    if (text.includes("from access_token")) reads += 1;
  });
  const clocks = [app.deps, ...Object.values(app.environments)];
  const { now } = app.deps;
  const stopped = now();
  for (const one of clocks) one.now = () => stopped;
  try {
    await call();
  } finally {
    for (const one of clocks) one.now = now;
    stop();
  }
  return reads;
}

test("an address that keeps sending unknown tokens gets 429 before they cost a statement; known tokens still work", async () => {
  const extra = 100;
  const statuses: number[] = [];
  const reads = await tokenReads(async () => {
    for (let sent = 0; sent < UNKNOWN_TOKENS.burst + extra; sent += 50) {
      const batch = Array.from({ length: 50 }, () => app.call("/brands", { token: inventedToken() }));
      statuses.push(...(await Promise.all(batch)).map(({ status }) => status));
    }
    const refused = await app.call("/brands", { token: inventedToken() });
    expect([refused.status, Number(refused.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
    expect((await app.call("/brands")).status).toBe(200);
  });
  expect(reads).toBe(UNKNOWN_TOKENS.burst);
  expect(statuses.filter((status) => status === 401)).toHaveLength(UNKNOWN_TOKENS.burst);
  expect(statuses.filter((status) => status === 429)).toHaveLength(extra);
});

test("a token that exists does not count, although this process does not know it", async () => {
  app.advance(60_000);
  const token = await app.token(0);
  const reads = await tokenReads(async () => {
    for (let read = 0; read <= UNKNOWN_TOKENS.burst; read++) {
      app.deps.copies.grants.clear();
      expect((await app.call("/brands", { token })).status).toBe(200);
    }
  });
  expect(reads).toBe(UNKNOWN_TOKENS.burst + 1);
});

test("a form over 8 KiB is invalid_request, and a client id without our form is unknown: no limiter keeps either", async () => {
  const url = app.addresses.sandbox_auth_url;
  const grant = { grant_type: "client_credentials", scope: "partners" };
  const credentials = { client_id: "x".repeat(9_000), client_secret: "wrong" };
  const large = await askTokenServer(url, { ...grant, ...credentials });
  expect([large.status, ((await large.json()) as { error: string }).error]).toEqual([400, "invalid_request"]);
  app.deps.strangers.takeActive();
  for (const client_id of ["x".repeat(7_000), "nobody", "a".repeat(12), `${"a".repeat(12)}-${"b".repeat(9)}`]) {
    const refused = await askTokenServer(url, { ...grant, client_id, client_secret: "wrong" });
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([401, "invalid_client"]);
  }
  expect(app.deps.strangers.takeActive()).toEqual([]);
});
