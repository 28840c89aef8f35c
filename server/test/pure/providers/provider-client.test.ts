import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { breaker } from "../../../src/adapters/providers/breaker.ts";
import { openProviderClient, ProviderUnavailable } from "../../../src/adapters/providers/provider-client.ts";
import { createProviderWatch } from "../../../src/adapters/providers/provider-watch.ts";

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** The answers that the server gives next, and the requests that it got. */
let answers: Answer[] = [];
let got: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => {
    body += part;
  });
  request.on("end", () => {
    got.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    (answers.shift() ?? json(200, { ok: true }))(request, response, body);
  });
});
let base_url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  answers = [];
  got = [];
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
const cut: Answer = (request) => void request.socket.destroy();
const garbage: Answer = (_request, response) => void response.writeHead(200).end("<html>");

const AT = new Date("2026-11-18T15:00:00Z");

function open(timeout_ms = 10_000) {
  const seen: string[] = [];
  const watch = createProviderWatch({
    observeProvider: (provider, what, outcome) => void seen.push(`${provider} ${what} ${outcome}`),
    setBreaker: (provider, is_open) => void seen.push(`${provider} breaker ${is_open ? "open" : "closed"}`),
  });
  const headers = { authorization: "Bearer made_up_secret" };
  const client = openProviderClient({
    provider: "stripe",
    base_url,
    headers,
    timeout_ms,
    watch,
    ticks: () => performance.now(),
    now: () => AT,
  });
  return { client, watch, seen };
}

const about = { account_id: "a", order_number: "N1" };
const keyed = { method: "POST", path: "/v1/x", form: new URLSearchParams("a[b]=1"), what: "try", about } as const;

describe("the HTTP client of providers", () => {
  test("sends a form with the key, and repeats it with the same key after a lost answer and an overload", async () => {
    const { client, watch, seen } = open();
    answers = [cut, json(429, { error: { code: "rate_limit" } }, { "retry-after": "0" }), json(200, { id: "pi_1" })];
    const answer = await client.call({ ...keyed, idempotency_key: "k1" });
    expect(answer).toMatchObject({ status: 200, body: { id: "pi_1" } });
    expect(got).toHaveLength(3);
    for (const { headers, body } of got) {
      expect(headers["idempotency-key"]).toBe("k1");
      expect(headers["content-type"]).toBe("application/x-www-form-urlencoded");
      expect(body).toBe("a%5Bb%5D=1");
    }
    expect(seen).toEqual(["stripe try answered"]);
    expect(watch.oldest(10)).toMatchObject([{ about, what: "try", at: AT, status: 200, tries: 3, error_code: null }]);
    await client.close();
  });

  test("never repeats a POST without a key", async () => {
    const { client, watch } = open();
    answers = [cut];
    await expect(client.call(keyed)).rejects.toThrow(ProviderUnavailable);
    expect(got).toHaveLength(1);
    expect(watch.stateOf("stripe")).toMatchObject({ requests: 1, failures: 1, last_success_at: null });
    await client.close();
  });

  test("returns a refusal at once, and the exchange names the provider's code and request id but no body", async () => {
    const { client, watch } = open();
    const body = { error: { code: "card_declined", message: "of Rosa Alvarez" } };
    answers = [json(402, body, { "request-id": "req_9" })];
    expect(await client.call({ ...keyed, idempotency_key: "k" })).toMatchObject({ status: 402 });
    expect(got).toHaveLength(1);
    const [exchange] = watch.oldest(1);
    expect(exchange).toMatchObject({ error_code: "card_declined", provider_request_id: "req_9", status: 402 });
    expect(JSON.stringify(exchange)).not.toMatch(/Rosa|made_up_secret/);
    await client.close();
  });

  test("treats garbage, an endless answer and silence as no answer", async () => {
    const { client } = open(500);
    answers = [garbage];
    await expect(client.call(keyed)).rejects.toMatchObject({ cause_code: "garbage" });
    answers = [(_request, response) => void response.writeHead(200).end(Buffer.alloc(6 * 1024 * 1024, " "))];
    await expect(client.call(keyed)).rejects.toMatchObject({ cause_code: "answer_too_long" });
    answers = [() => {}];
    await expect(client.call(keyed)).rejects.toMatchObject({ cause_code: "timeout" });
    await client.close();
  });

  test("stops calling a provider that keeps failing", async () => {
    const { client, seen } = open();
    answers = Array.from({ length: 5 }, () => json(500, {}));
    for (let call = 0; call < 5; call++) await expect(client.call(keyed)).rejects.toThrow(/http_500/);
    await expect(client.call(keyed)).rejects.toMatchObject({ cause_code: "breaker_open" });
    expect(got).toHaveLength(5);
    expect(seen).toContain("stripe breaker open");
    await client.close();
  });
});

test("an open breaker lets one call through after 30 seconds, and closes when it passes", () => {
  let now_ms = 0;
  const states: string[] = [];
  const gate = breaker({ now: () => now_ms, changed: (state) => void states.push(state) });
  for (let call = 0; call < 5; call++) gate.failed();
  expect(gate.allows()).toBe(false);
  now_ms = 30_000;
  expect([gate.allows(), gate.allows()]).toEqual([true, false]);
  gate.failed();
  now_ms = 59_999;
  expect(gate.allows()).toBe(false);
  now_ms = 60_000;
  expect(gate.allows()).toBe(true);
  gate.passed();
  expect(gate.allows()).toBe(true);
  expect(states).toEqual(["open", "half_open", "open", "half_open", "closed"]);
});
