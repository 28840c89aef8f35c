import { randomBytes, randomUUID } from "node:crypto";
import type { NewPasskeyRequest, PasskeyAnswer, PasskeyPurpose, PasskeyRequest } from "@pestle/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StatusRefusal } from "../../../src/domain/values/refusals.ts";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { usePasskey } from "../../../src/usecases/accounts/factors/sign-in-with-passkey.ts";
import { createLink } from "../../../src/usecases/accounts/sign-in-links.ts";
import { removeSsoProvider, setSsoProvider } from "../../../src/usecases/accounts/sso/manage-sso.ts";
import { hashPassword } from "../../../src/vault/password-hash.ts";
import { totpCode } from "../../../src/vault/totp.ts";
import { SoftwareAuthenticator, type Twist } from "../../support/authenticator.ts";
import { startTestApp, TEST_PASSWORD_COST, type TestApp } from "../../support/test-app.ts";
import { OWN_PASSWORD, webPerson } from "../../support/web.ts";

let app: TestApp;
let origin: string;
let partner_id: string;
let password_hash: string;
const password = "a long enough password";
beforeAll(async () => {
  app = await startTestApp();
  origin = `http://localhost:${new URL(app.addresses.base_url).port}`;
  const { rows } = await app.deps.db.raw("select partner_id from account where partner_id is not null limit 1");
  partner_id = (rows[0] as { partner_id: string }).partner_id;
  password_hash = hashPassword(password, TEST_PASSWORD_COST);
});
afterAll(() => app.stop());

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes
type Told = { status: number; body: any };

/** A browser with its own cookie. */
class Browser {
  headers: Record<string, string> = {};

  async send(method: string, path: string, body?: unknown): Promise<Told> {
    const answer = await fetch(`${app.addresses.base_url}/web${path}`, {
      method,
      headers: { ...this.headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const told = { status: answer.status, body: JSON.parse((await answer.text()) || "{}") };
    const cookie = answer.headers.get("set-cookie")?.split(";")[0];
    if (cookie !== undefined) this.headers = { cookie, "x-csrf-token": told.body.csrf_token };
    return told;
  }
  session = async () => (await this.send("GET", "/session")).body.session;
  options = async (purpose: PasskeyPurpose): Promise<PasskeyRequest> =>
    (await this.send("POST", "/session/passkey/options", { purpose })).body;
  answer = (credential: PasskeyAnswer) => this.send("POST", "/session/passkey", { credential });
  /** Asks for a challenge and answers it. */
  use = async (key: SoftwareAuthenticator, purpose: PasskeyPurpose, twist: Twist = {}) =>
    this.answer(key.get(await this.options(purpose), twist));
  register = async (key: SoftwareAuthenticator, name = "Laptop", twist: Twist = {}) => {
    const options = (await this.send("POST", "/session/passkey/new", {})).body as NewPasskeyRequest;
    return this.send("POST", "/session/passkeys", { name, credential: key.create(options, twist) });
  };
}

type Someone = { email: string; person_id: string };
async function someone(more: object = {}): Promise<Someone> {
  const email = `${randomUUID()}@larkspur.example`;
  const given = { email, name: "Ada Quill", role: "technician", partner_id: null, password_hash, ...more };
  return { email, person_id: await app.deps.db.transaction((tx) => createPerson(tx, given, app.deps.now())) };
}
const signIn = (browser: Browser, { email }: Someone) => browser.send("POST", "/session", { email, password });

/** A person with a passkey, in a browser where they registered it. */
async function enrolled(more: object = {}, algorithm: "ES256" | "EdDSA" = "ES256") {
  const [who, browser] = [await someone(more), new Browser()];
  const key = new SoftwareAuthenticator(origin, algorithm);
  await signIn(browser, who);
  const registered = await browser.register(key);
  expect(registered.status).toBe(201);
  return { ...who, browser, key, recovery_codes: registered.body.recovery_codes as string[] };
}
const stored = async ({ person_id }: Someone) =>
  (await app.deps.db.raw("select * from passkey where person_id = $1", [person_id])).rows as Record<string, unknown>[];
const actions = async ({ person_id }: Someone) => {
  const { rows } = await app.deps.db.raw("select action from audit_entry where person_id = $1 order by audit_id", [
    person_id,
  ]);
  return (rows as { action: string }[]).map(({ action }) => action);
};

describe("a passkey", () => {
  test.each(["ES256", "EdDSA"] as const)(
    "signs a person in by itself (%s), and keeps counter and flags",
    async (alg) => {
      const ada = await enrolled({}, alg);
      expect(ada.recovery_codes).toHaveLength(10);
      expect(await stored(ada)).toMatchObject([
        { name: "Laptop", backup_eligible: false, transports: ["internal", "hybrid"] },
      ]);
      ada.key.backed_up = true;
      const fresh = new Browser();
      const options = await fresh.options("sign_in");
      // A stranger learns nothing about who has a passkey.
      expect(options).toEqual({
        challenge: expect.stringMatching(/^[\w-]{100,400}$/),
        rpId: "localhost",
        timeout: 300_000,
        userVerification: "required",
        allowCredentials: [],
      });
      const signed = await fresh.answer(ada.key.get(options));
      expect(signed.body).toMatchObject({
        outcome: "signed_in",
        email: ada.email,
        opened_with: "passkey",
        passkeys: 1,
      });
      expect((await fresh.session()).complete).toBe(true);
      expect(await stored(ada)).toMatchObject([{ sign_count: 1, backup_eligible: true, backed_up: true }]);
      expect(await actions(ada)).toEqual(["sign_in", "passkey_added", "recovery_codes_created", "sign_in"]);
    },
  );

  test("of an authenticator that does not count works again and again", async () => {
    const { key } = await enrolled();
    for (const _ of [1, 2]) expect((await new Browser().use(key, "sign_in", { counter: 0 })).status).toBe(200);
  });

  test("signs a partner's user in to the portal", async () => {
    const sam = await enrolled({ role: "partner_viewer", partner_id });
    const portal = new Browser();
    expect((await portal.use(sam.key, "sign_in")).body.role).toBe("partner_viewer");
    expect((await portal.send("GET", "/portal/sandbox/home")).status).toBe(200);
    expect((await portal.send("GET", "/dashboard/home")).status).toBe(404);
  });

  test("is a second factor: the password alone opens nothing, and possession is enough", async () => {
    const ada = await enrolled();
    const half = new Browser();
    expect((await signIn(half, ada)).body).toMatchObject({ outcome: "needs_code", totp_on: false, passkeys: 1 });
    expect((await half.send("GET", "/dashboard/home")).status).toBe(401);
    // With only the password, no one adds a factor or sees the list.
    for (const path of ["/session/second_factor", "/session/passkey/new", "/session/recovery_codes"]) {
      expect([path, (await half.send("POST", path, {})).status]).toEqual([path, 404]);
    }
    expect((await half.send("GET", "/session/passkeys")).status).toBe(404);
    const options = await half.options("second_factor");
    expect([options.userVerification, options.allowCredentials]).toEqual([
      "discouraged",
      [{ id: ada.key.id.toString("base64url"), type: "public-key", transports: ["internal", "hybrid"] }],
    ]);
    const answer = ada.key.get(options, { user_verified: false, user_handle: null });
    expect((await half.answer(answer)).body).toMatchObject({ outcome: "signed_in", opened_with: "password" });
    const other = new Browser();
    await signIn(other, ada);
    const recovered = await other.send("POST", "/session/code", { code: ada.recovery_codes[0] });
    expect(recovered.body).toMatchObject({ outcome: "signed_in", recovery_codes_left: 9 });
  });

  test("confirms a sensitive change, if the authenticator checks who uses it", async () => {
    const { browser, key } = await enrolled();
    for (const _ of [1, 2]) {
      app.advance(8 * 60_000);
      await browser.send("POST", "/session/forgotten", { email: "x@larkspur.example" });
    }
    const refused = await browser.send("POST", "/session/passkey/new", {});
    expect([refused.status, refused.body.error.key]).toEqual([403, "verify"]);
    expect((await browser.use(key, "confirm", { user_verified: false })).status).toBe(401);
    expect((await browser.use(key, "confirm")).status).toBe(200);
    expect((await browser.send("POST", "/session/passkey/new", {})).status).toBe(200);
  });

  test("next to an authenticator app gives no second set of recovery codes", async () => {
    const { browser } = await enrolled();
    const { secret } = (await browser.send("POST", "/session/second_factor", {})).body;
    const code = totpCode(base32Bytes(secret), Math.floor(app.deps.now().getTime() / 30_000));
    const confirmed = await browser.send("POST", "/session/code", { code });
    expect([confirmed.status, confirmed.body.totp_on, confirmed.body.recovery_codes]).toEqual([200, true, undefined]);
  });

  test("can be renamed and removed by its owner alone, and recovery codes go with the last factor", async () => {
    const [ada, eve] = [await enrolled(), await enrolled()];
    const [{ passkey_id }] = (await ada.browser.send("GET", "/session/passkeys")).body.passkeys;
    const path = `/session/passkeys/${passkey_id}`;
    expect((await eve.browser.send("PATCH", path, { name: "Mine" })).status).toBe(422);
    expect((await eve.browser.send("DELETE", path)).body.passkeys).toHaveLength(1);
    const renamed = await ada.browser.send("PATCH", path, { name: " Work phone " });
    expect(renamed.body.passkeys).toMatchObject([{ name: "Work phone", backed_up: false, last_used_at: null }]);
    for (const name of ["", "x".repeat(61), "a\u0007b"]) {
      expect([name, (await ada.browser.send("PATCH", path, { name })).status]).toEqual([name, 422]);
    }
    expect((await ada.browser.send("DELETE", path)).body).toEqual({ passkeys: [] });
    expect(await ada.browser.session()).toMatchObject({ passkeys: 0, recovery_codes_left: 0 });
    expect((await new Browser().use(ada.key, "sign_in")).status).toBe(401);
    expect((await signIn(new Browser(), ada)).body.outcome).toBe("signed_in");
    expect(await actions(ada)).toContain("passkey_removed");
  });

  test("shows in the list of people as a second factor, and an admin's reset removes it", async () => {
    const admin = await webPerson(app, "admin");
    const ada = await enrolled();
    const shown = async () =>
      (await admin.get("/dashboard/people")).body.people.find((one: Someone) => one.person_id === ada.person_id);
    expect((await shown()).second_factor).toBe(true);
    expect((await admin.send("POST", `/dashboard/people/${ada.person_id}/second_factor`)).status).toBe(200);
    expect([(await shown()).second_factor, await stored(ada)]).toEqual([false, []]);
    const [boss, sam] = [
      await webPerson(app, "partner_admin", partner_id),
      await enrolled({ role: "partner_viewer", partner_id }),
    ];
    const path = `/portal/sandbox/team/${sam.person_id}`;
    expect((await boss.send("PATCH", path, { reset_second_factor: true })).body.second_factor).toBe(false);
    expect(await stored(sam)).toEqual([]);
  });

  test("completes the first sign-in where a second factor is required", async () => {
    const strict = await startTestApp({ env: { SECOND_FACTOR: "required" } });
    const lax = app;
    try {
      app = strict;
      const [who, browser] = [await someone(), new Browser()];
      expect((await signIn(browser, who)).body.outcome).toBe("needs_set_up");
      const key = new SoftwareAuthenticator(`http://localhost:${new URL(strict.addresses.base_url).port}`);
      expect((await browser.register(key)).body).toMatchObject({
        outcome: "signed_in",
        recovery_codes: { length: 10 },
      });
      expect(await actions(who)).toEqual(["passkey_added", "recovery_codes_created", "sign_in"]);
      expect((await browser.send("GET", "/dashboard/home")).status).toBe(200);
    } finally {
      app = lax;
      await strict.stop();
    }
  });
});

describe("is refused", () => {
  const stranger = randomBytes(32).toString("base64url");
  const wrong: [string, Twist][] = [
    ["from another page", { origin: "https://evil.example" }],
    ["from another port", { origin: "http://localhost:1" }],
    ["by the address instead of the name", { origin: "http://127.0.0.1" }],
    ["for another host name", { rp_id: "evil.example" }],
    ["as the answer to another question", { type: "webauthn.create" }],
    ["for a challenge that is not ours", { challenge: stranger }],
    ["without user verification", { user_verified: false }],
    ["without a touch", { user_present: false, user_verified: false }],
    ["without the owner's name", { user_handle: null }],
    ["under another person's name", { user_handle: Buffer.from("another").toString("base64url") }],
    ["with a wrong signature", { signature: randomBytes(70) }],
  ];
  test.each(wrong)("%s", async (_name, twist) => {
    const ada = await enrolled();
    const fresh = new Browser();
    expect((await fresh.use(ada.key, "sign_in", twist)).status).toBe(401);
    expect([fresh.headers, (await actions(ada)).at(-1)]).toEqual([{}, "sign_in_refused"]);
    // The same passkey still works, so it was only that.
    expect((await fresh.use(ada.key, "sign_in")).status).toBe(200);
  });

  test("with a counter that stays or goes back, as that of a copy", async () => {
    const { key } = await enrolled();
    key.counter = 10;
    expect((await new Browser().use(key, "sign_in")).status).toBe(200);
    for (const counter of [11, 10, 0]) {
      expect([counter, (await new Browser().use(key, "sign_in", { counter })).status]).toEqual([counter, 401]);
    }
    expect((await new Browser().use(key, "sign_in", { counter: 12 })).status).toBe(200);
  });

  test("with a challenge that was used, even twice at the same moment, or that has expired", async () => {
    const { key } = await enrolled();
    const fresh = new Browser();
    const options = await fresh.options("sign_in");
    const [first, second] = [key.get(options, { counter: 0 }), key.get(options, { counter: 0 })];
    const told = await Promise.all([first, second].map((answer) => new Browser().answer(answer)));
    expect(told.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await fresh.answer(key.get(options, { counter: 0 }))).status).toBe(401);
    const late = await fresh.options("sign_in");
    app.advance(5 * 60_000 + 1_000);
    expect((await fresh.answer(key.get(late))).status).toBe(401);
    expect((await fresh.use(key, "sign_in")).status).toBe(200);
    // Used challenges leave the table once they have expired.
    const { rows } = await app.deps.db.raw("select count(*)::integer as count from used_challenge");
    expect((rows[0] as { count: number }).count).toBeLessThan(3);
  });

  test("in another session, for another purpose, or as another person's second factor", async () => {
    const [ada, eve] = [await enrolled(), await enrolled()];
    const half = new Browser();
    await signIn(half, ada);
    expect((await half.use(eve.key, "second_factor")).status).toBe(401);
    const elsewhere = new Browser();
    await signIn(elsewhere, ada);
    const options = await elsewhere.options("second_factor");
    expect((await half.answer(ada.key.get(options))).status).toBe(401);
    // A challenge to register, to confirm or to give the second factor signs no one in.
    expect((await new Browser().answer(ada.key.get(options))).status).toBe(401);
    const confirm = await ada.browser.options("confirm");
    expect((await new Browser().answer(ada.key.get(confirm))).status).toBe(401);
    const { challenge } = (await ada.browser.send("POST", "/session/passkey/new", {})).body;
    expect((await new Browser().use(ada.key, "sign_in", { challenge })).status).toBe(401);
    expect(await half.session()).toMatchObject({ complete: false });
    // No session has a second factor to give or a change to confirm.
    for (const purpose of ["second_factor", "confirm"]) {
      expect((await new Browser().send("POST", "/session/passkey/options", { purpose })).status).toBe(422);
    }
  });

  test("if its owner is disabled, or no one has it", async () => {
    const ada = await enrolled();
    await app.deps.db.raw("update person set disabled_at = now() where person_id = $1", [ada.person_id]);
    expect((await new Browser().use(ada.key, "sign_in")).status).toBe(401);
    const unknown = new SoftwareAuthenticator(origin);
    const handle = Buffer.from(ada.person_id).toString("base64url");
    expect((await new Browser().use(unknown, "sign_in", { user_handle: handle })).status).toBe(401);
  });

  test.each([
    ["empty", {}],
    ["nothing", null],
    ["another kind", { id: "x", type: "password", response: {} }],
    ["a giant id", { id: "x".repeat(2000), type: "public-key", response: {} }],
    ["no parts", { id: "x", type: "public-key", response: {} }],
  ])("with a body that no browser sends: %s", async (_name, credential) => {
    expect((await new Browser().send("POST", "/session/passkey", { credential })).status).toBe(422);
  });

  test("after 50 wrong answers from one network", async () => {
    const { key } = await enrolled();
    const credential = key.get(await new Browser().options("sign_in"), { signature: randomBytes(70) });
    const deps = { ...app.deps, now: () => fixed };
    const fixed = app.deps.now();
    const attempt = (address: string) =>
      usePasskey(deps, credential, undefined, { address, agent: null }, randomUUID()).then(
        ({ outcome }) => outcome,
        (error) => (error as StatusRefusal).status,
      );
    const told: unknown[] = [];
    for (let tries = 0; tries < 52; tries++) told.push(await attempt("192.0.2.77"));
    expect([told.slice(0, 50).every((one) => one === "refused"), told.slice(50)]).toEqual([true, [429, 429]]);
    expect(await attempt("192.0.2.78")).toBe("refused");
  });
});

describe("a registration is refused", () => {
  test.each<[string, Twist]>([
    ["from another page", { origin: "https://evil.example" }],
    ["for another host name", { rp_id: "evil.example" }],
    ["as the answer to another question", { type: "webauthn.get" }],
    ["for a challenge that is not ours", { challenge: randomBytes(32).toString("base64url") }],
    ["without a touch", { user_present: false }],
  ])("%s", async (_name, twist) => {
    const [who, browser] = [await someone(), new Browser()];
    await signIn(browser, who);
    expect((await browser.register(new SoftwareAuthenticator(origin), "Laptop", twist)).status).toBe(422);
    expect(await stored(who)).toEqual([]);
  });

  test("twice, in another session, with an algorithm that was not offered, or with too many passkeys", async () => {
    const [ada, eve] = [await enrolled(), await enrolled()];
    const options = (await ada.browser.send("POST", "/session/passkey/new", {})).body as NewPasskeyRequest;
    expect(options.excludeCredentials).toHaveLength(1);
    const credential = new SoftwareAuthenticator(origin).create(options);
    const add = (browser: Browser, one: object) =>
      browser.send("POST", "/session/passkeys", { name: "Key", credential: one });
    expect((await add(eve.browser, credential)).status).toBe(422);
    expect((await add(ada.browser, credential)).status).toBe(201);
    expect((await add(ada.browser, new SoftwareAuthenticator(origin).create(options))).status).toBe(422);
    // The credential of one person cannot become another person's.
    expect((await eve.browser.register(ada.key)).status).toBe(422);
    expect((await ada.browser.register(new SoftwareAuthenticator(origin, "ES384"))).status).toBe(422);
    expect((await ada.browser.register(new SoftwareAuthenticator(origin), "")).status).toBe(422);
    await app.deps.db.raw(
      "insert into passkey select decode(lpad(to_hex(n), 64, '0'), 'hex'), n::text || $1, $1, 'x', '', 0, false, false, '{}', now() from generate_series(1, 18) n",
      [ada.person_id],
    );
    expect((await ada.browser.send("POST", "/session/passkey/new", {})).status).toBe(422);
    expect(await stored(ada)).toHaveLength(20);
  });
});

describe("an issued password", () => {
  test("does not stop a person who signs in with a passkey, and still must be changed", async () => {
    const ada = await enrolled();
    await app.deps.db.raw("update person set must_change_password = true where person_id = $1", [ada.person_id]);
    const fresh = new Browser();
    expect((await fresh.use(ada.key, "sign_in")).body.outcome).toBe("signed_in");
    expect((await fresh.send("GET", "/dashboard/home")).status).toBe(200);
    // A session that the password opened can do nothing else, even with the passkey as second factor.
    const half = new Browser();
    await signIn(half, ada);
    expect((await half.use(ada.key, "second_factor")).body.outcome).toBe("needs_password");
    expect((await half.send("GET", "/dashboard/home")).status).toBe(401);
    const chosen = await half.send("POST", "/session/password", { password, new_password: OWN_PASSWORD });
    expect(chosen.body.outcome).toBe("signed_in");
  });
});

describe("where single sign-on is the only way", () => {
  const only = (sso_only: boolean) =>
    app.deps.db.transaction((tx) =>
      setSsoProvider(
        app.deps,
        tx,
        partner_id,
        { issuer: "https://id.willow.example", client_id: "pestle", domains: ["willow.example"], sso_only },
        app.deps.now(),
      ),
    );
  afterAll(() => app.deps.db.transaction((tx) => removeSsoProvider(tx, partner_id)));

  test("no passkey, no link and no password opens or confirms anything", async () => {
    await only(false);
    const sam = await enrolled({ role: "partner_viewer", partner_id });
    const link = await createLink(app.deps, app.deps.db, sam.person_id, "reset");
    expect((await new Browser().send("POST", "/session/link", { token: link })).status).toBe(200);
    await only(true);
    const refused = await new Browser().use(sam.key, "sign_in");
    expect([refused.status, refused.body.error.message]).toEqual([401, expect.stringContaining("single sign-on")]);
    for (const [path, body] of [
      ["/session/link", { token: link }],
      ["/session/link/password", { token: link, new_password: OWN_PASSWORD }],
    ] as const) {
      const told = await new Browser().send("POST", path, body);
      expect([path, told.status, told.body.error.message]).toEqual([
        path,
        422,
        expect.stringContaining("single sign-on"),
      ]);
    }
    expect(await createLink(app.deps, app.deps.db, sam.person_id, "invitation")).toBeNull();
    const confirm = await sam.browser.send("POST", "/session/verify", { password });
    expect([confirm.status, confirm.body.error.message]).toEqual([422, expect.stringContaining("passkey")]);
    // The person is signed in already, so a passkey can still confirm who is at the keyboard.
    expect((await sam.browser.use(sam.key, "confirm")).status).toBe(200);
    // The staff have no such rule.
    expect((await new Browser().use((await enrolled()).key, "sign_in")).status).toBe(200);
  });
});

function base32Bytes(given: string): Buffer {
  const bits = [...given]
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
