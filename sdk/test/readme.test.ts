import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import {
  type Brand,
  Conflict,
  createPestle,
  PestleError,
  RequestRefused,
  signForTest,
  verifyStandardWebhook,
  verifyWebhook,
  type WebhookBody,
  WebhookRefused,
} from "@pestle/sdk";
import { expect, test } from "vitest";
import { startTestApp } from "../../server/test/support/test-app.ts";

test("the README's calls work against the demo", async () => {
  const app = await startTestApp();
  const demo = { ...app.demo, ...app.demo.partners[0]! };
  const reported: unknown[] = [];
  const report = (...told: unknown[]) => reported.push(told);

  const pestle = createPestle({
    client_id: demo.client_id,
    client_secret: demo.client_secret,
    base_url: demo.base_url,
    auth_url: demo.sandbox_auth_url,
  });
  const methods = await pestle.shippingMethods();
  const [product] = await pestle.products({ sku: ["atorvastatin-20"] });
  const { now } = await pestle.simulate.clock({ advance_seconds: 86_400 });

  const { status, request_id, body } = await pestle.request<{ brands: Brand[] }>("GET", "/v1/brands");

  try {
    await pestle.simulate.clock({ advance_seconds: -1 });
  } catch (error) {
    if (error instanceof RequestRefused) {
      for (const { code, error_detail } of error.errors) report(code, error_detail);
    } else if (error instanceof Conflict) {
      report(409, error.order_number);
    } else if (error instanceof PestleError) {
      report(error.status, error.request_id);
    } else throw error;
  }

  expect(methods.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  expect(product).toMatchObject({ sku: "atorvastatin-20" });
  expect(Date.parse(now)).toBeGreaterThan(Date.now());
  expect([status, request_id?.length, body.brands.length]).toEqual([200, 36, 2]);
  expect(reported).toMatchObject([[42200, [{ field: "simulation.advance_seconds" }]]]);
  await app.stop();
});

test("the README's receiver takes what was signed and refuses the rest", () => {
  const url = "https://partner.example/hook";
  const client_secret = "the-client-secret";
  const webhook_secret = "the-webhook-secret";
  const signing_secret = "whsec_cGVzdGxlLWV4YW1wbGUtc2VjcmV0LTAwMDE=";
  const queue: unknown[] = [];
  const enqueue = (...told: unknown[]) => queue.push(told);
  const order_actions = [{ event_key: "release", action: "Release the hold" } as const];
  const event = {
    event_id: "0b7f5c1e-6a3d-4f52-9d0e-3c8a1b2d4e5f",
    event_type: "ORDER_EXCEPTION",
    timestamp: 1794731400,
    patient_id: "ay87nt",
    order_number: "7K2M9XQ4TB",
    sequence: 2,
    exception: { id: 64, name: "Partner Hold", message: "", raised_at: "2026-11-15T08:30:00.000Z", order_actions },
    order_actions,
  } as unknown as WebhookBody;

  function receive(rawBody: Buffer, headers: IncomingHttpHeaders): number {
    try {
      verifyStandardWebhook({ rawBody, headers, signing_secret });
      const event = verifyWebhook({ rawBody, headers, url, client_secrets: [client_secret], webhook_secret });
      if (event.event_type === "ORDER_EXCEPTION") enqueue(event.event_id, event.order_actions);
      return 204;
    } catch (error) {
      if (error instanceof WebhookRefused) return 401;
      throw error;
    }
  }

  const delivery = signForTest({ event, url, client_secret, webhook_secret, signing_secret });
  const answer = receive(Buffer.from(delivery.rawBody), delivery.headers);

  expect(answer).toBe(204);
  expect(queue).toEqual([[event.event_id, order_actions]]);
  expect(receive(Buffer.from(delivery.rawBody.replace("64", "65")), delivery.headers)).toBe(401);
});

test("every snippet in the README stands in this file, which is compiled and run", () => {
  const lines = (text: string) => text.split("\n").map((line) => line.trim());
  const here = lines(readFileSync(new URL(import.meta.url), "utf8")).join("\n");
  const snippets = [...readFileSync(new URL("../README.md", import.meta.url), "utf8").matchAll(/```ts\n(.*?)```/gs)];
  expect(snippets).toHaveLength(5);
  for (const [, snippet] of snippets) {
    const names = [...snippet!.matchAll(/import \{ (.*?) \} from "@pestle\/sdk"/g)].flatMap(([, list]) =>
      list!.split(", "),
    );
    for (const name of names) expect(here).toContain(`${name},\n`);
    const code = lines(snippet!.replace(/^import .*\n/gm, ""))
      .join("\n")
      .trim();
    expect(here).toContain(code);
  }
});
