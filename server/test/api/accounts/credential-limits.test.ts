import { bearerErrors, clientProblems, type DashboardCredential, type PortalShownSecret } from "@pestle/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isInNetworks, normalNetwork } from "../../../src/domain/accounts/allowed-networks.ts";
import { checkDatabase } from "../../../src/usecases/operations/check-up.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { askTokenServer } from "../../support/token-request.ts";
import { signedIn, type WebPerson, webPerson } from "../../support/web.ts";

let app: TestApp;
let willow: WebPerson;
let admin: WebPerson;
beforeAll(async () => {
  app = await startTestApp();
  willow = await signedIn(app, app.demo.partners[0]!.portal);
  admin = await webPerson(app, "admin");
});
beforeEach(() => app.advance(60_000));
afterAll(() => app.stop());

const P = "/portal/sandbox/credentials";
const pathOf = (client_id: string) => `${P}/${client_id.split("-")[1]}`;
const created = async (): Promise<PortalShownSecret> => (await willow.send("POST", P, { name: "limited" })).body;
const limited = async (client_id: string, change: object) => {
  const told = await willow.send("PATCH", pathOf(client_id), change);
  expect(told.status, told.text).toBe(200);
  return told.body.credentials.find((one: { client_id: string }) => one.client_id === client_id);
};
const token = async (credentials: PortalShownSecret) => {
  const form = { grant_type: "client_credentials", scope: "partners" };
  const answer = await askTokenServer(app.addresses.sandbox_auth_url, form, { credentials });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const brands = async (access_token: unknown) => {
  const answer = await app.call("/brands", { token: String(access_token) });
  return { status: answer.status, body: await answer.json(), challenge: answer.headers.get("www-authenticate") };
};

describe("the allow-list of a credential", () => {
  test("is checked at the token server and at the API, and the answers say so", async () => {
    const made = await created();
    const { body } = await token(made);
    expect(await brands(body["access_token"])).toMatchObject({ status: 200 });
    await limited(made.client_id, { allowed_networks: ["203.0.113.0/24", "2001:db8::/32"] });
    await expect
      .poll(() => token(made), { timeout: 60_000 })
      .toMatchObject({
        status: 401,
        body: { error: "invalid_client", error_description: clientProblems.address },
      });
    await expect
      .poll(() => brands(body["access_token"]), { timeout: 60_000 })
      .toMatchObject({
        status: 401,
        body: { error: "address_not_allowed", error_description: bearerErrors.address_not_allowed[1] },
        challenge: expect.stringContaining('error="address_not_allowed"'),
      });
    await limited(made.client_id, { allowed_networks: ["203.0.113.0/24", "127.0.0.0/8"] });
    await expect.poll(() => brands(body["access_token"]), { timeout: 60_000 }).toMatchObject({ status: 200 });
    await expect.poll(() => token(made), { timeout: 60_000 }).toMatchObject({ status: 200 });
  });

  test("says nothing to a caller with a wrong secret", async () => {
    const made = await created();
    await limited(made.client_id, { allowed_networks: ["203.0.113.7"] });
    const { body } = await token({ ...made, client_secret: "wrong" });
    expect(body["error_description"]).not.toBe(clientProblems.address);
  });

  test("is stored in its normal form, and a wrong entry is named", async () => {
    const { client_id } = await created();
    const shown = await limited(client_id, { allowed_networks: [" 192.0.2.77/24", "192.0.2.0/24", "2001:DB8::1"] });
    expect(shown.allowed_networks).toEqual(["192.0.2.0/24", "2001:db8::1/128"]);
    for (const wrong of ["192.0.2.0/33", "office", "10.1", "0x7f.0.0.1", "192.0.2.1-192.0.2.9", ""]) {
      const told = await willow.send("PATCH", pathOf(client_id), { allowed_networks: [wrong] });
      expect([told.status, told.body.error.message], wrong).toEqual([422, expect.stringContaining(`“${wrong}”`)]);
    }
    const many = Array.from({ length: 51 }, (_, n) => `192.0.2.${n}`);
    expect((await willow.send("PATCH", pathOf(client_id), { allowed_networks: many })).status).toBe(422);
    for (const wrong of ["192.0.2.1", [7], { a: 1 }]) {
      expect((await willow.send("PATCH", pathOf(client_id), { allowed_networks: wrong })).status).toBe(422);
    }
  });

  test("matches IPv4, IPv6 and IPv4 in IPv6 form", () => {
    const networks = ["192.0.2.0/24", "2001:db8::/32", "198.51.100.9"].map((one) => normalNetwork(one)!);
    for (const inside of ["192.0.2.255", "::ffff:192.0.2.1", "2001:db8:ffff::1", "198.51.100.9"]) {
      expect(isInNetworks(inside, networks), inside).toBe(true);
    }
    for (const outside of ["192.0.3.0", "::ffff:192.0.3.1", "2001:db9::1", "198.51.100.8", "::1", "nonsense", ""]) {
      expect(isInNetworks(outside, networks), outside).toBe(false);
    }
    expect(normalNetwork("0.0.0.0/0")).toBe("0.0.0.0/0");
    expect(isInNetworks("8.8.8.8", ["0.0.0.0/0"])).toBe(true);
    expect(isInNetworks("2001:db8::1", ["0.0.0.0/0"])).toBe(false);
  });
});

describe("the token lifetime of a credential", () => {
  test("is 12 hours, or 60 seconds up to 12 hours as the credential says", async () => {
    const made = await created();
    expect((await token(made)).body["expires_in"]).toBe(43_200);
    expect(await limited(made.client_id, { token_lifetime_s: 60 })).toMatchObject({ token_lifetime_s: 60 });
    await expect.poll(async () => (await token(made)).body["expires_in"], { timeout: 60_000 }).toBe(60);
    const { access_token } = (await token(made)).body;
    expect(await brands(access_token)).toMatchObject({ status: 200 });
    app.advance(61_000);
    expect(await brands(access_token)).toMatchObject({ status: 401, body: { error: "invalid_token" } });
    await limited(made.client_id, { token_lifetime_s: null });
    await expect.poll(async () => (await token(made)).body["expires_in"], { timeout: 60_000 }).toBe(43_200);
    for (const wrong of [59, 43_201, 0, -1, 61.5, "900"]) {
      expect((await willow.send("PATCH", pathOf(made.client_id), { token_lifetime_s: wrong })).status).toBe(422);
    }
  });
});

describe("limits", () => {
  test("change one by one, and the dashboard reads and changes the same ones", async () => {
    const { client_id } = await created();
    await limited(client_id, { token_lifetime_s: 900 });
    await limited(client_id, { allowed_networks: ["192.0.2.1"] });
    const account_id = client_id.split("-")[0];
    const rows = (await admin.get(`/dashboard/partners/${account_id}/credentials`)).body.credentials;
    const row = rows.find((one: DashboardCredential) => one.client_id === client_id);
    const expected = { token_lifetime_s: 900, allowed_networks: ["192.0.2.1/32"], key_required: false, keys: [] };
    expect(row).toMatchObject(expected);
    const told = await admin.send("PATCH", `/dashboard/credentials/${client_id}`, { token_lifetime_s: null });
    expect(told.body.credential).toMatchObject({ ...expected, token_lifetime_s: null });
    const jwk = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid: "rfc8037" };
    const keyed = await admin.send("POST", `/dashboard/credentials/${client_id}/keys`, { key: jwk });
    expect(keyed.body.credential.keys).toMatchObject([{ kid: "rfc8037", kty: "OKP" }]);
    const path = `/dashboard/credentials/${client_id}/keys/remove`;
    expect((await admin.send("POST", path, { kid: "rfc8037" })).body.credential.keys).toEqual([]);
    expect((await admin.send("PATCH", "/dashboard/credentials/none", { token_lifetime_s: 90 })).status).toBe(422);
  });

  test("another partner's credential does not exist", async () => {
    const other = await signedIn(app, app.demo.partners[1]!.portal);
    const { client_id } = await created();
    for (const [method, path] of [
      ["PATCH", pathOf(client_id)],
      ["POST", `${pathOf(client_id)}/keys`],
      ["POST", `${pathOf(client_id)}/keys/remove`],
    ] as const) {
      expect((await other.send(method, path, { kid: "x", key: "x" })).status).toBe(404);
    }
  });

  test("the portal and doctor ask for a new secret when one is a year old", async () => {
    const found = async (days: number) => {
      const now = () => new Date(app.deps.now().getTime() + days * 86_400_000);
      const findings = await checkDatabase(app.config, app.deps.db, now);
      return findings.find(({ what }) => what === "client secrets");
    };
    const { client_id } = await created();
    expect(await found(0)).toMatchObject({ state: "ok" });
    expect(await found(366)).toMatchObject({
      state: "warning",
      says: expect.stringMatching(/older than 365 days.*credential rotate/),
    });
    const { secrets } = (await willow.get(P)).body.credentials.find(
      (one: { client_id: string }) => one.client_id === client_id,
    );
    const [{ created_at, rotate_by }] = secrets;
    expect(new Date(rotate_by).getTime() - new Date(created_at).getTime()).toBe(365 * 86_400_000);
  });
});
