import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { startTestApp, type TestApp } from "../../server/test/support/test-app.ts";
import { Unauthorized, Unavailable } from "../src/index.ts";
import { clientOf, optionsOf } from "./support/client-of.ts";
import { failure } from "./support/failure.ts";
import { type Mishap, startFlakyProxy } from "./support/flaky-proxy.ts";

/** A deadline costs nothing unless it passes. */
const WAIT = { timeout: 60_000 };

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

/** A client of partner 2 that records token requests and calls, with a manual clock. */
async function watched(mishaps: { auth?: Mishap[]; api?: Mishap[] } = {}) {
  const options = optionsOf(app, 2);
  const auth = await startFlakyProxy(options.auth_url, mishaps.auth);
  const api = await startFlakyProxy(options.base_url, mishaps.api);
  let now_ms = Date.now();
  const now = () => new Date(now_ms);
  const sleep = async (ms: number) => {
    now_ms += ms;
  };
  const pestle = clientOf(app, 2, { auth_url: auth.url, base_url: api.url, now, sleep, deadline_ms: 10_000 });
  return {
    pestle,
    auth,
    /** The tokens that the calls used. */
    tokens: () => api.seen.map(({ headers }) => headers.authorization),
    advance: (seconds: number) => {
      now_ms += seconds * 1000;
    },
    stop: () => Promise.all([auth.stop(), api.stop()]),
  };
}

test("fifty calls at once request one token", async () => {
  const { pestle, auth, tokens, stop } = await watched();
  await Promise.all(Array.from({ length: 50 }, () => pestle.brands()));
  expect(auth.seen).toHaveLength(1);
  expect(new Set(tokens()).size).toBe(1);
  await stop();
});

test("the client sends credentials by Basic authentication, and grant and scope in the form", async () => {
  const { pestle, auth, stop } = await watched();
  await pestle.brands();
  const { headers, body } = auth.seen[0]!;
  const { client_id, client_secret } = app.demo.partners[2]!;
  expect(headers.authorization).toBe(`Basic ${btoa(`${client_id}:${client_secret}`)}`);
  expect(body).toBe("grant_type=client_credentials&scope=partners");
  await stop();
});

test("the client renews a token 60 s before its 12 hours end, and no call waits for it", async () => {
  const { pestle, auth, tokens, advance, stop } = await watched();
  await pestle.brands();
  advance(43_200 - 70);
  await pestle.brands();
  expect(auth.seen).toHaveLength(1);
  advance(15);
  await pestle.brands();
  await vi.waitFor(async () => {
    await pestle.brands();
    expect(tokens().at(-1)).not.toBe(tokens()[0]);
  }, WAIT);
  expect(tokens().slice(0, 3)).toEqual(Array(3).fill(tokens()[0]));
  expect(auth.seen).toHaveLength(2);
  await stop();
});

test("the client renews a one-minute token when a tenth of its life is left", async () => {
  const access_token = await app.token(2);
  const brief = { access_token, token_type: "Bearer", expires_in: 60, created_at: 0 };
  const { pestle, auth, advance, stop } = await watched({ auth: [{ status: 200, body: brief }] });
  await pestle.brands();
  advance(53);
  await pestle.brands();
  expect(auth.seen).toHaveLength(1);
  advance(2);
  await pestle.brands();
  await vi.waitFor(() => expect(auth.seen).toHaveLength(2), WAIT);
  await stop();
});

test("the client retries a failed early renewal later and uses the current token meanwhile", async () => {
  const { pestle, auth, tokens, advance, stop } = await watched();
  await pestle.brands();
  const refusal = { status: 401, body: { error: "invalid_client", error_description: "" } };
  auth.mishaps.push(...Array(9).fill(refusal));
  advance(43_200 - 30);
  for (let i = 0; i < 10; i++) await pestle.brands();
  await vi.waitFor(() => expect(auth.seen).toHaveLength(2), WAIT);
  await vi.waitFor(async () => {
    advance(5);
    await pestle.brands();
    expect(auth.seen.length).toBeGreaterThan(2);
  }, WAIT);
  expect(new Set(tokens()).size).toBe(1);
  await stop();
});

test("the client replaces an expired token before the call", async () => {
  const { pestle, auth, tokens, advance, stop } = await watched();
  await pestle.brands();
  advance(43_200);
  await Promise.all(Array.from({ length: 10 }, () => pestle.brands()));
  expect(auth.seen).toHaveLength(2);
  expect(new Set(tokens()).size).toBe(2);
  await stop();
});

test("the client drops a revoked token, and calls in flight share one new token", async () => {
  const { pestle, auth, tokens, stop } = await watched();
  await pestle.brands();
  const { client_id, client_secret } = app.demo.partners[2]!;
  const token = tokens()[0]!.replace("Bearer ", "");
  await fetch(`${app.addresses.auth_url}/oauth/revoke`, {
    method: "POST",
    body: new URLSearchParams({ token, client_id, client_secret }),
  });
  const answers = await Promise.all(Array.from({ length: 20 }, () => pestle.brands()));
  expect(answers.every((brands) => brands.length === 2)).toBe(true);
  expect(auth.seen).toHaveLength(2);
  await stop();
});

test("if the server rejects the new token too, the caller gets the error after one retry", async () => {
  const refusal = { status: 401, body: { error: "invalid_token", error_description: "No." } };
  const { pestle, auth, tokens, stop } = await watched({ api: [refusal, refusal] });
  const error = await failure(pestle.brands());
  expect(error).toBeInstanceOf(Unauthorized);
  expect(error).toMatchObject({ status: 401, error: "invalid_token" });
  expect(tokens()).toHaveLength(2);
  expect(auth.seen).toHaveLength(2);
  await stop();
});

test("the client does not renew a token that lacks the scope of the partner API", async () => {
  const { client_id, client_secret } = app.demo.intake;
  const auth = await startFlakyProxy(app.addresses.sandbox_auth_url);
  const error = await failure(
    clientOf(app, 0, { client_id, client_secret, scope: "intake", auth_url: auth.url }).brands(),
  );
  expect(error).toMatchObject({ name: "Unauthorized", status: 401, error: "insufficient_scope" });
  expect(auth.seen).toHaveLength(1);
  await auth.stop();
});

test.each([
  ["a wrong secret", { client_secret: "wrong" }, { status: 401, error: "invalid_client" }],
  ["an unknown client", { client_id: "nobody" }, { status: 401, error: "invalid_client" }],
  ["a missing scope", { scope: "" }, { status: 400, error: "invalid_scope" }],
  ["a foreign scope", { scope: "intake" }, { status: 400, error: "invalid_scope" }],
])("%s is Unauthorized, and the client never retries it", async (_case, options, expected) => {
  const auth = await startFlakyProxy(optionsOf(app).auth_url);
  const error = await failure(clientOf(app, 0, { ...options, auth_url: auth.url }).brands());
  expect(error).toBeInstanceOf(Unauthorized);
  expect(error).toMatchObject({ ...expected, request_id: expect.any(String) });
  expect(auth.seen).toHaveLength(1);
  await auth.stop();
});

test("the client retries a token server that fails temporarily", async () => {
  const { pestle, auth, stop } = await watched({ auth: ["reset", { status: 503 }, { status: 429 }] });
  expect(await pestle.brands()).toHaveLength(2);
  expect(auth.seen).toHaveLength(4);
  await stop();
});

test("a caller whose deadline passes leaves the token request to the other callers", async () => {
  const { pestle, auth, stop } = await watched({ auth: ["hang"] });
  const controller = new AbortController();
  const impatient = failure(pestle.brands({ deadline_ms: 30 }));
  const aborted = failure(pestle.brands({ signal: controller.signal }));
  const waiting = pestle.brands();
  await vi.waitFor(() => expect(auth.seen).toHaveLength(1), WAIT);
  expect(await impatient).toBeInstanceOf(Unavailable);
  controller.abort(new Error("changed my mind"));
  expect(await aborted).toMatchObject({ message: "changed my mind" });
  // Breaks the hanging token request. The client then retries it for the callers still waiting.
  auth.breakConnections();
  expect(await waiting).toHaveLength(2);
  await stop();
});

test("an unexpected answer of the token server is an error, and no call goes out without a token", async () => {
  const { pestle, tokens, stop } = await watched({ auth: [{ status: 200, body: { hello: "world" } }] });
  expect(await failure(pestle.brands())).toMatchObject({ name: "PestleError", status: 200 });
  expect(tokens()).toEqual([]);
  await stop();
});
