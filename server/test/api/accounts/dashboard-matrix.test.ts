import { portalRoleNames as partnerPeople, staffRoleNames as staff } from "@pestle/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { WebRoute } from "../../../src/http/web-api.ts";
import { webRoutes } from "../../../src/http/web-routes.ts";
import { newOrder, placed } from "../../support/orders.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { type Told, type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
const people = new Map<string, WebPerson>();
let params: Record<string, string>;
let stranger: Pick<WebPerson, "get" | "send">;
beforeAll(async () => {
  app = await startTestApp();
  const [{ account_id, client_id }] = app.demo.partners as [(typeof app.demo.partners)[0]];
  const { rows } = await app.deps.db.raw("select partner_id from account where account_id = $1", [account_id]);
  for (const role of staff) people.set(role, await webPerson(app, role));
  for (const role of partnerPeople) people.set(role, await webPerson(app, role, String(rows[0]!["partner_id"])));
  const { order_number } = await placed(app, (await newOrder(app)).body);
  const { rows: reviews } = await app.deps.db.raw(
    `insert into review (account_id, kind, intake_message_id, created_at)
    select $1, 'processing_failed', intake_message_id, now() from intake_message limit 1
    returning review_id`,
    [account_id],
  );
  params = {
    account_id,
    order_number,
    client_id,
    environment: "sandbox",
    kind: "slip",
    // A user that no other test needs.
    person_id: (await webPerson(app, "technician")).person_id,
    review_id: String(reviews[0]!["review_id"]),
  };
  const nobody = (method: string) => async (path: string) => tell(await fetch(base(path), { method }));
  stranger = { get: nobody("GET"), send: (method, path) => nobody(method)(path) };
});
afterAll(() => app.stop());

const base = (path: string) => `${app.addresses.base_url}/web${path}`;
const tell = async (answer: Response): Promise<Told> => {
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text || "{}"), headers: answer.headers };
};
/** Parameters of a route. A name without a value here means an id that does not exist. */
const address = ({ path }: WebRoute) => path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? "0000");
/** A stream never ends, and a sign-in or sign-out would change the caller. */
const guarded = webRoutes.filter(({ roles }) => Array.isArray(roles));
const isStream = ({ path }: WebRoute) => path.endsWith("/stream");

/** Sends a body that no route accepts: a caller with access gets a validation error and changes nothing. */
const ask = (who: Pick<WebPerson, "get" | "send">, route: WebRoute) =>
  route.method === "GET" ? who.get(address(route)) : who.send(route.method, address(route), { nothing: "sensible" });

test("there are routes of both kinds, and each lists its roles", () => {
  expect(guarded.filter(({ path }) => path.startsWith("/dashboard")).length).toBeGreaterThan(35);
  expect(guarded.filter(({ path }) => path.startsWith("/portal")).length).toBeGreaterThan(15);
  for (const { path, roles } of guarded) {
    const own: readonly string[] = path.startsWith("/dashboard") ? staff : partnerPeople;
    expect([path, (roles as readonly string[]).every((role) => own.includes(role))]).toEqual([path, true]);
  }
  expect(webRoutes.filter((route) => !guarded.includes(route)).every(({ path }) => path.startsWith("/session"))).toBe(
    true,
  );
});

test("every route × every role: a role without access gets the answer of an unknown address", async () => {
  for (const [role, person] of people) {
    const unknown = await person.get("/nowhere");
    expect(unknown.status).toBe(404);
    for (const route of guarded) {
      if ((route.roles as readonly string[]).includes(role)) continue;
      const { status, text } = await ask(person, route);
      expect([role, route.method, route.path, status, text]).toEqual([
        role,
        route.method,
        route.path,
        404,
        unknown.text,
      ]);
    }
  }
}, 60_000);

test("without a session there is no access and no hint of what exists", async () => {
  const texts = new Set<string>();
  for (const route of guarded) {
    const { status, text } = await ask(stranger, route);
    expect([route.path, status]).toEqual([route.path, 401]);
    texts.add(text);
  }
  expect(texts.size).toBe(1);
});

test("a role with access gets its own answer", async () => {
  // Changes last, so that no user loses access before the test calls as that user.
  const ordered = [...guarded].sort((a, b) => Number(a.method !== "GET") - Number(b.method !== "GET"));
  for (const route of ordered.filter((one) => one.path.startsWith("/dashboard") && !isStream(one))) {
    for (const role of route.roles as readonly string[]) {
      const { status } = await ask(people.get(role)!, route);
      expect([role, route.method, route.path, status === 404 || status === 401 || status >= 500]).toEqual([
        role,
        route.method,
        route.path,
        false,
      ]);
    }
  }
}, 60_000);

test("a partner's user never sees another partner's data: the account comes from the session, regardless of the request", async () => {
  const { account_id } = app.demo.partners[1]!;
  const viewer = people.get("partner_viewer")!;
  for (const path of [`/dashboard/orders/${account_id}/${params["order_number"]}`, `/portal/${account_id}/home`]) {
    expect((await viewer.get(path)).status).toBe(404);
  }
});
