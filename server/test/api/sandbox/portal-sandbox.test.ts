import {
  type PortalCredential,
  type PortalReferenceToken,
  REFERENCE_CREDENTIAL,
  REFERENCE_TOKEN_LIFETIME_S,
} from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tryLimits } from "../../../src/domain/accounts/tries.ts";
import { sandboxPresets } from "../../../src/domain/sandbox/sandbox-presets.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { signedIn, type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
let willow: WebPerson;
let juniper: WebPerson;
let harbor: WebPerson;
beforeAll(async () => {
  app = await startTestApp();
  const signed = await Promise.all(app.demo.partners.map(({ portal }) => signedIn(app, portal)));
  [willow, juniper, harbor] = signed as [WebPerson, WebPerson, WebPerson];
});
afterAll(() => app.stop());

const P = "/portal/sandbox";
const prescribed = async (who: WebPerson, body: unknown) => {
  const told = await who.send("POST", `${P}/sandbox/prescriptions`, body);
  if (told.status !== 202) throw new Error(`${told.status}: ${told.text}`);
  return told.body as { patient_id: string; prescription_id: number; order_number: string | null };
};

describe("the sandbox in the portal", () => {
  test("takes a preset prescription through an order to Delivered, and shows every step in its history", async () => {
    const { prescription_id, order_number: none } = await prescribed(willow, { preset: "simple" });
    expect(none).toBeNull();
    const placed = await willow.send("POST", `${P}/sandbox/orders`, { prescription_id });
    expect([placed.status, placed.body.order_status]).toEqual([201, "Processing"]);
    const { order_number } = placed.body;
    const moved = await willow.send("POST", `${P}/sandbox/simulate`, {
      simulation_type: "order",
      simulation: { order_number, to: "Delivered" },
    });
    expect([moved.status, moved.body]).toEqual([202, { order_number, order_status: "Delivered" }]);
    const { order, history, actions } = (await willow.get(`${P}/orders/${order_number}`)).body;
    expect(order.order_status).toBe("Delivered");
    expect(history.map(({ event }: { event: string }) => event).reverse()).toEqual([
      "create",
      "approve_review",
      "complete_fill",
      "verify_product",
      "ship",
      "deliver",
    ]);
    expect(actions.map(({ event_key }: { event_key: string }) => event_key)).toEqual(["refund", "partial_refund"]);
    const { prescriptions } = (await willow.get(`${P}/sandbox`)).body;
    expect(prescriptions[0]).toMatchObject({ prescription_id, order_numbers: [order_number] });
  });

  for (const [preset, { exception_id }] of Object.entries(sandboxPresets)) {
    if (preset === "canceled") continue;
    test(`${preset}: an order for it is ${exception_id === null ? "not held" : `held by ${exception_id} alone`}`, async () => {
      const { prescription_id } = await prescribed(willow, { preset });
      const placed = await willow.send("POST", `${P}/sandbox/orders`, { prescription_id });
      expect(placed.status, placed.text).toBe(201);
      const held = placed.body.exceptions.map(({ id }: { id: number }) => id);
      expect(held).toEqual(exception_id === null ? [] : [exception_id]);
    });
  }

  test("canceled: an order for it is rejected", async () => {
    const { prescription_id } = await prescribed(willow, { preset: "canceled" });
    const placed = await willow.send("POST", `${P}/sandbox/orders`, { prescription_id });
    expect([placed.status, placed.body.errors[0].code]).toEqual([422, 42249]);
  });

  test("under Automatic Processing the order exists when the answer arrives", async () => {
    const { order_number } = await prescribed(juniper, { preset: "missing_email" });
    expect((await juniper.get(`${P}/orders/${order_number}`)).body.order.exception.id).toBe(65);
  });

  test("accepts your own fields with a preset, and rejects unknown ones", async () => {
    const { patient_id } = await prescribed(willow, {
      preset: "missing_email",
      simulation: { patient: { patient_id: "mine-0001", first_name: "Wren" } },
    });
    expect(patient_id).toBe("mine-0001");
    for (const body of [{ preset: "none" }, { simulation: [] }, { presets: "simple" }, { simulation: { nose: 1 } }]) {
      expect((await willow.send("POST", `${P}/sandbox/prescriptions`, body)).status).toBe(422);
    }
    for (const prescription_id of [0, "1", null, 1.5]) {
      expect((await willow.send("POST", `${P}/sandbox/orders`, { prescription_id })).status).toBe(422);
    }
  });

  test("moves the account's clock, and the portal shows the new time", async () => {
    const before = (await juniper.get(`${P}/sandbox`)).body;
    await juniper.send("POST", `${P}/sandbox/simulate`, {
      simulation_type: "clock",
      simulation: { advance_seconds: 86_400 },
    });
    const after = (await juniper.get(`${P}/home`)).body.account;
    expect(after.clock_offset_s - before.clock_offset_s).toBe(86_400);
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(86_400_000);
  });

  test("is 404 in production", async () => {
    expect((await harbor.get("/portal/production/home")).status).toBe(200);
    expect((await harbor.get("/portal/production/sandbox")).status).toBe(404);
    for (const tool of ["prescriptions", "orders", "token", "simulate"]) {
      expect((await harbor.send("POST", `/portal/production/sandbox/${tool}`)).status).toBe(404);
    }
  });
});

describe("a held order", () => {
  test("offers the actions of its exceptions and its status, and an action ends the hold", async () => {
    const { prescription_id } = await prescribed(willow, { preset: "missing_email" });
    const placed = await willow.send("POST", `${P}/sandbox/orders`, { prescription_id });
    const path = `${P}/orders/${placed.body.order_number}`;
    const { actions } = (await willow.get(path)).body;
    expect(actions).toMatchObject([
      { event_key: "update_email", fields: [{ name: "email", required: true }], exception_ids: [65] },
      { event_key: "cancel", exception_ids: [65] },
    ]);
    const groups = (await willow.get(`${P}/exceptions`)).body.groups;
    const group = groups.find(({ exception_id }: { exception_id: number }) => exception_id === 65);
    expect(group).toMatchObject({ who_acts: "partner", name: "Missing Email" });
    expect(group.order_numbers).toContain(placed.body.order_number);
    const refused = await willow.send("POST", `${path}/actions`, { event: "update_email" });
    expect([refused.status, refused.body.errors[0].code]).toEqual([422, 42201]);
    const done = await willow.send("POST", `${path}/actions`, {
      event: "update_email",
      email: "wren@patients.example",
    });
    expect([done.status, done.body.order.order_status]).toEqual([201, "Processing"]);
    expect((await willow.get(path)).body.action_requests).toMatchObject([{ event: "update_email" }]);
  });

  test("shows the address that an action would use, before the user chooses it", async () => {
    const { prescription_id } = await prescribed(willow, { preset: "invalid_address" });
    const placed = await willow.send("POST", `${P}/sandbox/orders`, { prescription_id });
    const path = `${P}/orders/${placed.body.order_number}`;
    const { order, suggested_address } = (await willow.get(path)).body;
    expect(order.address.street1).toBe("77 Larch St");
    expect(suggested_address.street1).not.toBe("77 Larch St");
    const done = await willow.send("POST", `${path}/actions`, { event: "accept_suggested_address" });
    expect(done.body.order.address).toMatchObject(suggested_address);
    expect((await willow.get(path)).body.suggested_address).toBeNull();
  });
});

describe("a token for the API reference", () => {
  const minted = async (who: WebPerson) => {
    const told = await who.send("POST", `${P}/sandbox/token`);
    if (told.status !== 201) throw new Error(`${told.status}: ${told.text}`);
    return told.body as PortalReferenceToken;
  };
  const brandsWith = async (token: string) => (await app.call("/brands", { token })).status;
  const named = async (who: WebPerson): Promise<PortalCredential[]> =>
    (await who.get(`${P}/credentials`)).body.credentials.filter(
      ({ name }: PortalCredential) => name === REFERENCE_CREDENTIAL,
    );

  test("reads the partner's own sandbox for ten minutes, and the audit log says who received it", async () => {
    const { prescription_id } = await prescribed(willow, { preset: "simple" });
    const { order_number } = (await willow.send("POST", `${P}/sandbox/orders`, { prescription_id })).body;
    const first = await Promise.all([minted(willow), minted(willow)]);
    const { access_token, expires_at } = first[0];
    expect(Date.parse(expires_at) - app.deps.now().getTime()).toBeLessThanOrEqual(REFERENCE_TOKEN_LIFETIME_S * 1000);
    expect((await app.call(`/orders/${order_number}`, { token: access_token })).status).toBe(200);
    const other = await minted(juniper);
    expect((await app.call(`/orders/${order_number}`, { token: other.access_token })).status).toBe(404);

    // Both first tokens belong to one credential.
    const [credential, ...more] = await named(willow);
    expect([credential?.scopes, more]).toEqual([["partners"], []]);
    const { rows } = await app.deps.db.raw(
      "select action from audit_entry where person_id = $1 and subject = $2 order by audit_id",
      [willow.person_id, credential!.client_id],
    );
    expect(rows.map(({ action }) => action)).toEqual(["credential_created", "token_issued", "token_issued"]);

    app.advance(REFERENCE_TOKEN_LIFETIME_S * 1000);
    expect(await brandsWith(access_token)).toBe(401);
  });

  test("ends with its credential, and the next one comes with a new credential", async () => {
    const { access_token } = await minted(willow);
    const [{ credential_id }] = (await named(willow)) as [PortalCredential];
    expect(await brandsWith(access_token)).toBe(200);
    await willow.send("PATCH", `${P}/credentials/${credential_id}`, { token_lifetime_s: 60 });
    const { expires_at } = await minted(willow);
    expect(Date.parse(expires_at) - app.deps.now().getTime()).toBeLessThanOrEqual(60_000);
    // A credential that requires a key is how an admin turns the tokens off.
    const path = `${P}/credentials/${credential_id}`;
    const key = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid: "rfc8037" };
    await willow.send("POST", `${path}/keys`, { key });
    await willow.send("PATCH", path, { key_required: true });
    const refused = await willow.send("POST", `${P}/sandbox/token`);
    expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining("requires a key")]);
    await willow.send("POST", `${path}/revoke`);
    expect(await brandsWith(access_token)).toBe(401);
    expect(await brandsWith((await minted(willow)).access_token)).toBe(200);
    expect((await named(willow)).map(({ revoked_at }) => revoked_at === null)).toEqual([true, false]);
  });

  test("is refused in production, without a session, from another page and for the staff", async () => {
    expect((await harbor.send("POST", "/portal/production/sandbox/token")).status).toBe(404);
    const url = `${app.addresses.base_url}/web${P}/sandbox/token`;
    const { cookie } = willow.headers;
    const asked = async (headers: Record<string, string>) =>
      (await fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: "{}" }))
        .status;
    expect(await asked({})).toBe(401);
    expect(await asked({ cookie: cookie! })).toBe(404);
    expect(await asked({ ...willow.headers, origin: "https://elsewhere.example" })).toBe(404);
    expect((await (await webPerson(app, "admin")).send("POST", `${P}/sandbox/token`)).status).toBe(404);
  });

  test("a person gets few of them, and after signing out none", async () => {
    const partner = await app.deps.db.raw("select partner_id from person where person_id = $1", [juniper.person_id]);
    const developer = await webPerson(app, "partner_developer", String(partner.rows[0]!["partner_id"]));
    for (let count = 0; count < tryLimits.reference_tokens.free; count++) await minted(developer);
    const refused = await developer.send("POST", `${P}/sandbox/token`);
    expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    // The limit is the person's own.
    await minted(juniper);
    await developer.send("DELETE", "/session");
    expect((await developer.send("POST", `${P}/sandbox/token`)).status).toBe(401);
  });
});
