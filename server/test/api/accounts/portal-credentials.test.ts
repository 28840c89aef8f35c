import type { PortalCredential, PortalShownSecret } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { signedIn, type WebPerson } from "../../support/web.ts";

let app: TestApp;
let willow: WebPerson;
beforeAll(async () => {
  app = await startTestApp();
  willow = await signedIn(app, app.demo.partners[0]!.portal);
});
afterAll(() => app.stop());

const P = "/portal/sandbox/credentials";
const shown = async (path = P, body: unknown = { name: "order service" }): Promise<PortalShownSecret> => {
  const told = await willow.send("POST", path, body);
  expect(told.status, told.text).toBe(201);
  return told.body;
};
const token = ({ client_id, client_secret }: PortalShownSecret) =>
  fetch(`${app.addresses.sandbox_auth_url}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "partners", client_id, client_secret }),
  });
const listed = async (client_id: string): Promise<PortalCredential> =>
  (await willow.get(P)).body.credentials.find((one: PortalCredential) => one.client_id === client_id);
const path = (client_id: string) => `${P}/${client_id.split("-")[1]}`;

describe("credentials in the portal", () => {
  test("a new one works immediately, in its own environment, and shows when it was used", async () => {
    const made = await shown();
    expect((await listed(made.client_id)).last_used_at).toBeNull();
    const { access_token } = (await (await token(made)).json()) as { access_token: string };
    expect((await app.call("/brands", { token: access_token })).status).toBe(200);
    expect(await listed(made.client_id)).toMatchObject({
      name: "order service",
      scopes: ["partners"],
      revoked_at: null,
      last_used_at: expect.any(String),
      secrets: [{ secret_id: 1 }],
    });
  });

  test("are rotated with an overlap: both secrets work until a user ends the older one", async () => {
    const first = await shown();
    const second = await shown(`${path(first.client_id)}/rotate`, {});
    expect(second.client_id).toBe(first.client_id);
    expect([(await token(first)).status, (await token(second)).status]).toEqual([200, 200]);
    const third = await willow.send("POST", `${path(first.client_id)}/rotate`);
    expect([third.status, third.body.error.message]).toEqual([422, expect.stringContaining("two live secrets")]);
    const finished = await willow.send("POST", `${path(first.client_id)}/finish`);
    expect(finished.status).toBe(200);
    expect((await listed(first.client_id)).secrets.map(({ secret_id }) => secret_id)).toEqual([2]);
    await expect.poll(async () => (await token(first)).status).toBe(401);
    expect((await token(second)).status).toBe(200);
  });

  test("sign all their endpoints with the secret that a user chooses, the new one and back", async () => {
    const first = await shown();
    const url = "https://hooks.larkspur.example/signed";
    for (const path of ["/a", "/b"]) {
      const given = { url: url + path, secret: "ours", signing_credential_id: first.client_id };
      expect((await willow.send("POST", "/portal/sandbox/webhook_endpoints", given)).status).toBe(201);
    }
    const { secret_id } = await shown(`${path(first.client_id)}/rotate`, {});
    const signs = async () => (await listed(first.client_id)).signs_endpoints.map((one) => one.secret_id);
    expect(await signs()).toEqual([1, 1]);
    for (const chosen of [secret_id, 1, secret_id]) {
      expect((await willow.send("POST", `${path(first.client_id)}/sign`, { secret_id: chosen })).status).toBe(200);
      expect(await signs()).toEqual([chosen, chosen]);
    }
    await willow.send("POST", `${path(first.client_id)}/finish`);
    for (const wrong of [1, 3, "2", undefined]) {
      expect((await willow.send("POST", `${path(first.client_id)}/sign`, { secret_id: wrong })).status).toBe(422);
    }
    expect(await signs()).toEqual([secret_id, secret_id]);
  });

  test("are revoked immediately, one secret or all, and stay in the list as ended", async () => {
    const made = await shown();
    const newer = await shown(`${path(made.client_id)}/rotate`, {});
    await willow.send("POST", `${path(made.client_id)}/revoke`, { secret_id: newer.secret_id });
    await expect.poll(async () => (await token(newer)).status).toBe(401);
    expect((await token(made)).status).toBe(200);
    const revoked = await willow.send("POST", `${path(made.client_id)}/revoke`);
    expect(revoked.body.credentials.at(-1)).toMatchObject({
      client_id: made.client_id,
      revoked_at: expect.any(String),
    });
    await expect.poll(async () => (await token(made)).status).toBe(401);
    expect((await willow.send("POST", `${path(made.client_id)}/rotate`)).status).toBe(422);
    expect((await willow.send("POST", `${path(made.client_id)}/revoke`, { secret_id: "1" })).status).toBe(422);
  });

  test("a name is required, and no other field is allowed", async () => {
    for (const name of [undefined, "", "  ", 7, "x".repeat(101), "two\nlines"]) {
      expect((await willow.send("POST", P, { name })).status).toBe(422);
    }
  });

  test("only the answer that creates a secret contains it, and no other answer, log line or row", async () => {
    const made = await shown();
    const rotated = await shown(`${path(made.client_id)}/rotate`, {});
    await token(rotated);
    const answers = await Promise.all(
      ["/portal", P, "/portal/sandbox/home", "/portal/sandbox/requests", "/portal/sandbox/team"].map((one) =>
        willow.get(one),
      ),
    );
    const { rows } = await app.deps.db.raw("select * from audit_entry");
    const written = [...answers.map(({ text }) => text), JSON.stringify(app.lines()), JSON.stringify(rows)].join("\n");
    for (const { client_secret } of [made, rotated]) {
      expect(client_secret).toMatch(/^[\w-]{43}$/);
      expect(written).not.toContain(client_secret);
    }
  });

  test("the audit log records who did what with which credential", async () => {
    const { client_id } = await shown();
    await shown(`${path(client_id)}/rotate`, {});
    await willow.send("POST", `${path(client_id)}/finish`);
    await willow.send("POST", `${path(client_id)}/revoke`);
    const { rows } = await app.deps.db.raw(
      "select action, person_id, role from audit_entry where subject = $1 order by audit_id",
      [client_id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      "credential_created",
      "credential_rotated",
      "credential_rotation_finished",
      "credential_revoked",
    ]);
    expect(rows.every((row) => row["person_id"] === willow.person_id && row["role"] === "partner_admin")).toBe(true);
  });
});
