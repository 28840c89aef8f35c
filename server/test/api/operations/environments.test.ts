import { afterAll, beforeAll, expect, test } from "vitest";
import { innerDoor } from "../../../src/http/front-door.ts";
import { createListener } from "../../../src/http/listener.ts";
import { addPartnerApi, partnerRoutes } from "../../../src/http/partner-api.ts";
import { recheckDue } from "../../../src/usecases/orders/recheck-orders.ts";
import { addPatient } from "../../support/patient.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { until } from "../../support/tools/until.ts";

const SANDBOX = 0;
const NEIGHBOR = 1;
const PRODUCTION = 2;
const POOL = 2;
const AT_ONCE = 4;
/** By default, an account has a quarter of the places. */
const AT_ONCE_EACH = 1;
const LINE = AT_ONCE * 32;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    unlimited: true,
    env: { SANDBOX_POOL_SIZE: String(POOL), SANDBOX_CONCURRENT_REQUESTS: String(AT_ONCE) },
  });
  // Both tokens and both catalogues are known from here on.
  for (const partner of [SANDBOX, NEIGHBOR, PRODUCTION])
    expect((await app.call("/brands", { partner })).status).toBe(200);
});
afterAll(() => app.stop());

/** Takes every connection that serves the sandbox's partners until the returned function is called. */
async function holdSandboxPool(): Promise<() => Promise<void>> {
  let letGo: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const held: Promise<void>[] = [];
  for (let one = 0; one < POOL; one++) {
    await new Promise<void>((taken) => {
      held.push(
        app.environments.sandbox.tenants.of(app.demo.partners[0]!.account_id).transaction(async () => {
          taken();
          await released;
        }),
      );
    });
  }
  return async () => {
    letGo();
    await Promise.all(held);
  };
}

test("while one account fills the sandbox, its neighbor is served and production answers as ever", async () => {
  const release = await holdSandboxPool();
  const waiting = Array.from({ length: AT_ONCE_EACH + LINE }, () => app.call("/orders", { partner: SANDBOX }));
  const { admission } = app.environments.sandbox;
  await until(() => admission.load().waiting === LINE, "the line is full");
  expect(admission.load().running).toBe(AT_ONCE_EACH);

  const refused = await app.call("/orders", { partner: SANDBOX });
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  const orders = await Promise.all(Array.from({ length: 20 }, () => app.call("/orders", { partner: PRODUCTION })));
  expect(orders.map(({ status }) => status)).toEqual(Array(20).fill(200));

  // The neighbor has places of its own, and its first request in line replaces the newest one of the flood.
  const { account_id } = app.demo.partners[NEIGHBOR]!;
  const neighbors = Array.from({ length: AT_ONCE_EACH + 1 }, () => app.call("/orders", { partner: NEIGHBOR }));
  await until(() => admission.load(account_id).waiting === 1, "the neighbor is in line");
  expect(admission.load()).toEqual({ running: 2 * AT_ONCE_EACH, waiting: LINE });

  await release();
  expect((await Promise.all(neighbors)).map(({ status }) => status)).toEqual([200, 200]);
  const served = await Promise.all(waiting);
  const shed = served.filter(({ status }) => status !== 200);
  expect(shed.map(({ status, headers }) => [status, headers.get("retry-after")])).toEqual([[503, "1"]]);
  expect(admission.load()).toEqual({ running: 0, waiting: 0 });
});

test("a job of one environment leaves the other's work alone", async () => {
  const marks = async () => {
    const { rows } = await app.deps.db.raw(
      `select a.environment, bool_or(p.recheck_due) as due from patient p join account a using (account_id)
      group by a.environment order by a.environment`,
    );
    return Object.fromEntries(rows.map(({ environment, due }) => [environment, due]));
  };
  for (const partner of [SANDBOX, PRODUCTION]) await addPatient(app, { partner });
  await app.deps.db.raw("update patient set recheck_due = true");
  expect(await marks()).toEqual({ production: true, sandbox: true });
  await recheckDue(app.environments.sandbox);
  expect(await marks()).toEqual({ production: true, sandbox: false });
  await recheckDue(app.environments.production);
  expect(await marks()).toEqual({ production: false, sandbox: false });
});

test("the sandbox's process refuses a token of production, even if it is forwarded by mistake", async () => {
  const { sandbox } = app.environments;
  const inner = createListener(app.deps, "inner");
  addPartnerApi(inner, { sandbox, production: sandbox }, partnerRoutes, (scope) => innerDoor(sandbox, scope));
  try {
    const statusOf = async (partner: number) => {
      const authorization = `Bearer ${await app.token(partner)}`;
      const headers = { authorization, "x-request-id": "forwarded", "x-forwarded-for": "192.0.2.7" };
      return (await inner.inject({ url: "/v1/orders", headers })).statusCode;
    };
    expect([await statusOf(SANDBOX), await statusOf(PRODUCTION)]).toEqual([200, 401]);
  } finally {
    await inner.close();
  }
});
