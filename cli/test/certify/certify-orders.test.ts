import { randomBytes } from "node:crypto";
import { type CertifiedCheck, orderCheckNames, orderChecks } from "@pestle/contract";
import { createPestle } from "@pestle/sdk";
import { createFakePharmacy } from "@pestle/sdk/testing";
import { describe, expect, test } from "vitest";
import { isCertified, judgeDay } from "../../src/certify/orders/judge-day.ts";
import { playDay } from "../../src/certify/orders/play-day.ts";
import { openProxy } from "../../src/certify/orders/proxy.ts";
import { sandboxOver } from "../../src/certify/orders/sandbox-api.ts";
import { type SceneName, sceneNames } from "../../src/certify/orders/scenes.ts";
import { type Parts, plantedFaults, startSystem } from "./planted-systems.ts";

const EVENTS = ["RX_RECEIVED", "ORDER_EXCEPTION", "ORDER_UPDATED"] as const;
const RETRY_AFTER_S = 1;
/** A day waits most of its time. More at once would delay the answers that a system waits for. */
const DAYS_AT_ONCE = 8;
/** A system that never does what certify waits for costs the whole limit. */
const LIMIT_MS = 3_000;

/** A day with the SDK's fake pharmacy in place of the sandbox, so that no database is needed. */
async function dayOf(
  parts: Partial<Parts>,
  { scenes = sceneNames as readonly SceneName[], limit_ms = LIMIT_MS, watch_ms = 1_000 } = {},
): Promise<CertifiedCheck[]> {
  let system: ReturnType<typeof startSystem> | undefined;
  const fake = createFakePharmacy({
    deliver: async (request) => {
      system?.heard(JSON.parse(await request.text()));
      return new Response();
    },
  });
  const { client_id, client_secret, base_url, auth_url } = fake.options;
  fake.addEndpoint({ url: "https://partner.example/hook", secret: "word", events: [...EVENTS] });
  // One after the other, so that no event is sent twice.
  let deliveries: Promise<unknown> = Promise.resolve();
  const delivering: typeof fetch = async (...given) => {
    const answer = await fake.fetch(...given);
    deliveries = deliveries.then(() => fake.deliverWebhooks());
    await deliveries;
    return answer;
  };
  const proxy = await openProxy(
    { base_url, auth_url, fetch: delivering },
    { retry_after_s: RETRY_AFTER_S, client_secret },
  );
  system = startSystem(proxy.url, { client_id, client_secret }, parts);
  const pestle = createPestle({ ...fake.options, fetch: delivering });
  const sandbox = sandboxOver(
    async (method, path, body) => (await pestle.request<never>(method, `/v1${path}`, { body })).body,
  );
  const run_id = randomBytes(6).toString("hex");
  try {
    return judgeDay(
      await playDay(proxy, sandbox, { run_id, retry_after_s: RETRY_AFTER_S, limit_ms, watch_ms, scenes }),
    );
  } finally {
    system.stop();
    await proxy.close();
  }
}

/** Runs the work in order, some at the same time. */
function someAtOnce<Result>(work: readonly (() => Promise<Result>)[]): Promise<Result>[] {
  const ends: Promise<Result>[] = [];
  for (const one of work) {
    const before = ends.at(-DAYS_AT_ONCE)?.catch(() => undefined);
    ends.push(Promise.resolve(before).then(one));
  }
  return ends;
}

const named = (checks: readonly CertifiedCheck[], result: CertifiedCheck["result"]) =>
  checks.filter((check) => check.result === result).map(({ name }) => name);

describe.concurrent("certify orders", () => {
  test("passes a good system in every check", async () => {
    const checks = await dayOf({ time_limit_ms: 2_000 }, { limit_ms: 60_000 });
    expect(checks.filter(({ result }) => result !== "passed")).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(orderCheckNames);
    expect(isCertified(checks)).toBe(true);
  });

  test("certifies a system that leaves holds to people, with a lower score", async () => {
    const scenes = ["plain", "email_hold"] as const;
    const checks = await dayOf({ about: {} }, { scenes });
    expect(named(checks, "failed")).toEqual(["email_hold"]);
    expect(isCertified(checks.filter(({ result }) => result !== "not_checked"))).toBe(true);
    expect(isCertified(checks)).toBe(false);
  });

  test("knows a fault for every check", () => {
    expect(new Set(Object.values(plantedFaults).map(({ check }) => check))).toEqual(new Set(orderCheckNames));
  });

  const faults = Object.entries(plantedFaults);
  const days = someAtOnce(
    faults.map(
      ([, { scenes, parts }]) =>
        () =>
          dayOf(parts, { scenes: ["plain", ...scenes] }),
    ),
  );
  test.each(faults.map(([name, { check }], index) => [name, check, index] as const))(
    "catches a system that %s, with %s",
    async (_, check, index) => {
      const checks = await days[index]!;
      expect(named(checks, "failed")).toContain(check);
      if (orderChecks[check].required) expect(isCertified(checks)).toBe(false);
    },
  );

  test("judges nothing else of a system that orders nothing", async () => {
    const checks = await dayOf({ orders: 0 }, { scenes: ["plain", "unavailable"], limit_ms: 300 });
    expect(named(checks, "failed")).toEqual(["orders_prescription"]);
    expect(named(checks, "passed")).toEqual([]);
  });
});
