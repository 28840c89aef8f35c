import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
// @ts-expect-error It ships no types; `OidcProvider` below says what is used of it.
import Provider from "oidc-provider";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ssoCommands } from "../../../src/cli/accounts/sso.ts";
import { listAccounts } from "../../../src/db/accounts/accounts.ts";
import { createPerson } from "../../../src/usecases/accounts/create-person.ts";
import { removeSsoProvider, type SsoSettings, setSsoProvider } from "../../../src/usecases/accounts/sso/manage-sso.ts";
import { startTestApp, TEST_MASTER_KEY, type TestApp } from "../../support/test-app.ts";

type Account = {
  sub: string;
  email?: string | undefined;
  email_verified?: boolean | undefined;
  name?: string | undefined;
};
type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> };
type OidcProvider = {
  Grant: new (given: { clientId: string; accountId: string }) => Grant;
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionFinished(...given: [IncomingMessage, ServerResponse, object, object]): Promise<void>;
};
type Context = { oidc: { client: { clientId: string }; session: { accountId: string } } };
type Running = {
  issuer: string;
  client: { client_id: string; client_secret: string };
  login: (who: Account) => void;
  stop(): Promise<void>;
};

let app: TestApp;
let staff: Running;
let willow: Running;
let willow_id: string;
beforeAll(async () => {
  app = await startTestApp();
  const callback = `${app.addresses.base_url}/web/session/sso/callback`;
  staff = await startProvider(callback, { id_token: true });
  willow = await startProvider(callback, { id_token: false });
  const accounts = await listAccounts(app.deps.db);
  willow_id = accounts.find(({ partner_id }) => partner_id !== null)!.partner_id!;
});
afterAll(async () => {
  await app.stop();
  await staff.stop();
  await willow.stop();
});

/** A real provider (oidc-provider) that signs in the person whom the test names. */
async function startProvider(callback: string, { id_token }: { id_token: boolean }): Promise<Running> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server: Server = createServer((request, response) => handle(request, response));
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { client_id: "pestle", client_secret: randomUUID() };
  const people = new Map<string, Account>();
  let next = "";
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const provider: OidcProvider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: [callback], id_token_signed_response_alg: "ES256" }],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "ES256", use: "sig", kid: "test" }] },
    cookies: { keys: ["for the test"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    conformIdTokenClaims: !id_token,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    findAccount: async (_context: unknown, id: string) => ({ accountId: id, claims: async () => people.get(id) }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    // The person has agreed.
    loadExistingGrant: async ({ oidc }: Context) => {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const answers = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return void answers(request, response);
    const done = { login: { accountId: next } };
    provider
      .interactionFinished(request, response, done, { mergeWithLastSubmission: false })
      .catch(() => response.end());
  };
  return {
    issuer,
    client,
    login: (who) => {
      people.set(who.sub, who);
      next = who.sub;
    },
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}

/** A browser without scripts: it keeps cookies and follows redirects. */
function browser() {
  const jar = new Map<string, string>();
  const visit = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { origin } = new URL(url);
    const cookies = [...jar]
      .filter(([key]) => key.startsWith(origin))
      .map(([key, value]) => `${key.split(" ")[1]}=${value}`);
    const headers = new Headers(init.headers);
    if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /Max-Age=0/.test(line)) jar.delete(`${origin} ${name}`);
      else jar.set(`${origin} ${name}`, value);
    }
    return response;
  };
  const base = app.addresses.base_url;
  return {
    jar,
    visit,
    start: async (body: object = { return_to: "/dashboard" }) => {
      const headers = { accept: "application/json", "content-type": "application/json" };
      const answer = await visit(`${base}/web/session/sso`, { method: "POST", headers, body: JSON.stringify(body) });
      return {
        status: answer.status,
        body: (await answer.json()) as { redirect_to: string; error: { message: string } },
      };
    },
    /** Follows redirects until the provider sends the browser back to Pestle, and returns that address. */
    async atProvider(url: string): Promise<string> {
      let at = url;
      for (let steps = 0; steps < 10 && !at.startsWith(base); steps++) {
        const { headers } = await visit(at);
        at = new URL(headers.get("location") ?? "about:blank", at).href;
      }
      return at;
    },
    /** Where Pestle sends the browser after the callback. */
    back: async (callback: string) => (await visit(callback)).headers.get("location"),
    session: async () =>
      (await (await visit(`${base}/web/session`, { headers: { accept: "application/json" } })).json()) as {
        session: { email: string; role: string; complete: boolean } | null;
        sso: object;
      },
  };
}

type Browser = ReturnType<typeof browser>;
/** The whole way: button, provider, callback. */
async function signIn(who: Browser, body?: object): Promise<string | null> {
  const { body: started } = await who.start(body);
  return who.back(await who.atProvider(started.redirect_to));
}

const register = (whose: Running, partner_id: string | null, more: SsoSettings = {}) =>
  app.deps.db.transaction((tx) =>
    setSsoProvider(
      app.deps,
      tx,
      partner_id,
      {
        issuer: whose.issuer,
        ...whose.client,
        domains: [partner_id === null ? "larkspur.example" : "willow.example"],
        name: "Larkspur ID",
        sso_only: false,
        own_second_factor: false,
        provision_role: null,
        ...more,
      },
      app.deps.now(),
    ),
  );
const person = async (role: string, partner_id: string | null, domain: string) => {
  const email = `${role}-${randomUUID().slice(0, 8)}@${domain}`;
  const password_hash = await app.deps.passwords.hash("a long enough password");
  const given = { email, name: "Noor Haddad", role, partner_id, password_hash };
  await app.deps.db.transaction((tx) => createPerson(tx, given, app.deps.now()));
  return email;
};
const verified = (email: string, more: Partial<Account> = {}): Account => ({
  sub: randomUUID(),
  email,
  email_verified: true,
  ...more,
});

beforeEach(async () => {
  await register(staff, null);
  await register(willow, willow_id);
});

describe("single sign-on", () => {
  test("a staff member signs in at the provider and lands on the page they wanted", async () => {
    const email = await person("technician", null, "larkspur.example");
    staff.login(verified(email.toUpperCase()));
    const noor = browser();
    expect((await noor.session()).sso).toEqual({ staff: "Larkspur ID", partners: true });
    const { body } = await noor.start({ return_to: "/dashboard/queue" });
    const asked = new URL(body.redirect_to).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.any(String),
      nonce: expect.any(String),
      scope: "openid email profile",
    });
    const location = await noor.back(await noor.atProvider(body.redirect_to));
    expect(location).toBe("/dashboard/queue");
    expect((await noor.session()).session).toMatchObject({ email, role: "technician", complete: true });
    expect([...noor.jar.keys()].filter((key) => key.includes("pestle-sso"))).toEqual([]);
    const { rows } = await app.deps.db.raw(
      "select a.action from audit_entry a join person p using (person_id) where p.email = $1",
      [email],
    );
    expect(rows).toEqual([{ action: "sign_in" }]);
  });

  test("a partner's user enters the address, and the provider that only answers at userinfo works too", async () => {
    const email = await person("partner_developer", willow_id, "willow.example");
    willow.login(verified(email));
    const sam = browser();
    expect(await signIn(sam, { email, return_to: "/portal" })).toBe("/portal");
    expect((await sam.session()).session).toMatchObject({ email, role: "partner_developer" });
    // The second time, too.
    expect(await signIn(browser(), { email, return_to: "/portal" })).toBe("/portal");
  });

  test("an address without a provider is told to use the password", async () => {
    const told = await browser().start({ email: "sam@elsewhere.example", return_to: "/portal" });
    expect([told.status, told.body.error.message]).toEqual([422, expect.stringContaining("password")]);
  });

  test.each<[string, Partial<Account>, string]>([
    ["an unknown address", {}, "unknown"],
    ["an unverified address", { email_verified: false }, "unverified"],
    ["an address whose state is not told", { email_verified: undefined }, "unverified"],
    ["no address", { email: undefined }, "unverified"],
    ["an address of another domain", { email: "noor@evil.example" }, "unverified"],
  ])("%s signs no one in", async (_name, changes, refused) => {
    staff.login({ ...verified("stranger@larkspur.example"), ...changes } as Account);
    const stranger = browser();
    expect(await signIn(stranger)).toBe(`/dashboard?sso=${refused}`);
    expect((await stranger.session()).session).toBeNull();
  });

  test("a known but unverified address signs no one in", async () => {
    const email = await person("technician", null, "larkspur.example");
    staff.login(verified(email, { email_verified: false }));
    expect(await signIn(browser())).toBe("/dashboard?sso=unverified");
  });

  test("a partner's provider cannot sign in staff, and a disabled user stays out", async () => {
    const email = await person("admin", null, "willow.example");
    willow.login(verified(email));
    expect(await signIn(browser(), { email, return_to: "/portal" })).toBe("/portal?sso=unknown");
    const gone = await person("partner_viewer", willow_id, "willow.example");
    await app.deps.db.raw("update person set disabled_at = now() where email = $1", [gone]);
    willow.login(verified(gone));
    expect(await signIn(browser(), { email: gone, return_to: "/portal" })).toBe("/portal?sso=unknown");
  });

  test("a wrong state, a wrong nonce, a wrong verifier and a foreign browser are refused", async () => {
    const email = await person("technician", null, "larkspur.example");
    staff.login(verified(email));
    const changed = (url: string, name: string) => {
      const to = new URL(url);
      to.searchParams.set(name, "A".repeat(43));
      return to.href;
    };
    const state = browser();
    const callback = await state.atProvider((await state.start()).body.redirect_to);
    expect(await state.back(changed(callback, "state"))).toBe("/dashboard?sso=provider");
    for (const name of ["nonce", "code_challenge"]) {
      const who = browser();
      const at = await who.atProvider(changed((await who.start()).body.redirect_to, name));
      expect(await who.back(at), name).toBe("/dashboard?sso=provider");
      expect((await who.session()).session).toBeNull();
    }
    // The code of one browser in another: sign-in CSRF.
    const [victim, attacker] = [browser(), browser()];
    const stolen = await attacker.atProvider((await attacker.start()).body.redirect_to);
    expect(await victim.back(stolen)).toBe("/dashboard?sso=failed");
    await victim.start();
    expect(await victim.back(stolen)).toBe("/dashboard?sso=provider");
    expect((await victim.session()).session).toBeNull();
  });

  test("a callback works once and for ten minutes, and a changed cookie does not count", async () => {
    const email = await person("technician", null, "larkspur.example");
    staff.login(verified(email));
    const noor = browser();
    const callback = await noor.atProvider((await noor.start()).body.redirect_to);
    const kept = new Map(noor.jar);
    expect(await noor.back(callback)).toBe("/dashboard");
    expect(await noor.back(callback)).toBe("/dashboard?sso=failed");
    for (const [key, value] of kept) noor.jar.set(key, value);
    expect(await noor.back(callback)).toBe("/dashboard?sso=provider");
    const key = [...kept.keys()].find((one) => one.includes("pestle-sso"))!;
    noor.jar.set(key, `${kept.get(key)!.slice(0, -4)}AAAA`);
    expect(await noor.back(callback)).toBe("/dashboard?sso=failed");
    const late = browser();
    const slow = await late.atProvider((await late.start()).body.redirect_to);
    app.advance(11 * 60_000);
    expect(await late.back(slow)).toBe("/dashboard?sso=failed");
  });

  test("the provider's own refusal comes back as one", async () => {
    const who = browser();
    const { redirect_to } = (await who.start()).body;
    const state = new URL(redirect_to).searchParams.get("state")!;
    const callback = `${app.addresses.base_url}/web/session/sso/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(staff.issuer)}`;
    expect(await who.back(callback)).toBe("/dashboard?sso=provider");
  });

  test("an address that another account at the provider gets later does not open the first one's sign-in", async () => {
    const email = await person("technician", null, "larkspur.example");
    const first = verified(email);
    staff.login(first);
    expect(await signIn(browser())).toBe("/dashboard");
    staff.login(verified(email));
    expect(await signIn(browser())).toBe("/dashboard?sso=changed");
    const unlink = ssoCommands.find(({ name }) => name === "sso unlink")!;
    await unlink.run({}, email, commandEnv());
    expect(await signIn(browser())).toBe("/dashboard");
    staff.login(first);
    expect(await signIn(browser())).toBe("/dashboard?sso=changed");
  });

  test("only pages of Pestle are a place to return to", async () => {
    const email = await person("technician", null, "larkspur.example");
    staff.login(verified(email));
    for (const return_to of ["https://evil.example", "//evil.example", "/dashboard/../../x?y", "/portal", "/docs"]) {
      expect(await signIn(browser(), { return_to }), return_to).toBe("/dashboard");
    }
  });
});

describe("rules", () => {
  const password = async (email: string) => {
    const answer = await fetch(`${app.addresses.base_url}/web/session`, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ email, password: "a long enough password" }),
    });
    return { status: answer.status, body: (await answer.json()) as { error?: { message: string } } };
  };

  test("with sso_only a right password is not enough, and a wrong one learns nothing", async () => {
    const email = await person("technician", null, "larkspur.example");
    expect((await password(email)).status).toBe(200);
    await register(staff, null, { sso_only: true });
    expect(await password(email)).toMatchObject({
      status: 401,
      body: { error: { message: expect.stringContaining("single sign-on") } },
    });
    staff.login(verified(email));
    expect(await signIn(browser())).toBe("/dashboard");
    // A partner's people are not the staff.
    const partner = await person("partner_viewer", willow_id, "willow.example");
    expect((await password(partner)).status).toBe(200);
  });

  test("an issued password does not stop a person who signs in at the provider", async () => {
    const email = await person("technician", null, "larkspur.example");
    await app.deps.db.raw("update person set must_change_password = true where email = $1", [email]);
    staff.login(verified(email));
    const noor = browser();
    expect(await signIn(noor)).toBe("/dashboard");
    expect((await noor.session()).session).toMatchObject({ complete: true, needs: null, opened_with: "sso" });
    expect((await password(email)).body).toMatchObject({ outcome: "needs_password" });
  });

  test("without a rule no one is created; with one, a new person has its role and no license", async () => {
    const email = `new-${randomUUID().slice(0, 8)}@larkspur.example`;
    staff.login(verified(email, { name: "New Person" }));
    expect(await signIn(browser())).toBe("/dashboard?sso=unknown");
    await register(staff, null, { provision_role: "technician" });
    const fresh = browser();
    expect(await signIn(fresh)).toBe("/dashboard");
    expect((await fresh.session()).session).toMatchObject({ email, role: "technician" });
    const { rows } = await app.deps.db.raw("select name, license_number from person where email = $1", [email]);
    expect(rows).toEqual([{ name: "New Person", license_number: null }]);
    for (const role of ["pharmacist", "lead", "admin", "partner_viewer"]) {
      await expect(register(staff, null, { provision_role: role })).rejects.toThrow("technician");
    }
    await expect(register(willow, willow_id, { provision_role: "partner_admin" })).rejects.toThrow("partner_viewer");
  });

  test("Pestle's own second factor can stay required", async () => {
    await register(staff, null, { own_second_factor: true });
    const email = await person("technician", null, "larkspur.example");
    await app.deps.db.raw(
      "update person set totp_sealed = p.totp_sealed, totp_confirmed_at = now() from (select $2::bytea as totp_sealed) p where email = $1",
      [email, app.deps.vault.seal(Buffer.from("x"), "any")],
    );
    staff.login(verified(email));
    const noor = browser();
    expect(await signIn(noor)).toBe("/dashboard");
    expect((await noor.session()).session).toMatchObject({ complete: false });
  });

  test("settings are checked: issuer, domains, and no domain twice", async () => {
    for (const issuer of ["http://login.example", "login.example", "https://login.example/?a=b"]) {
      await expect(register(staff, null, { issuer })).rejects.toThrow("https");
    }
    await expect(register(staff, null, { domains: ["not a domain"] })).rejects.toThrow("domain");
    await expect(register(staff, null, { domains: ["willow.example"] })).rejects.toThrow("Another provider");
  });

  test("a provider that cannot be reached is a 503, and the log says so", async () => {
    await register(staff, null, { issuer: "http://127.0.0.1:9" });
    expect((await browser().start()).status).toBe(503);
    expect(app.lines().some(({ msg }) => msg === "single sign-on cannot start")).toBe(true);
  });

  test("pestle sso list and remove", async () => {
    const run = (name: string, options: object) =>
      ssoCommands.find((one) => one.name === name)!.run(options as Record<string, unknown>, "", commandEnv());
    const listed = await run("sso list", {});
    expect(listed!.data).toMatchObject([{ partner: null, has_secret: true }, { partner: expect.any(String) }]);
    expect(JSON.stringify(listed)).not.toContain(staff.client.client_secret);
    await run("sso set", { staff: true, only: true });
    await run("sso remove", { staff: true });
    expect((await browser().session()).sso).toEqual({ staff: null, partners: true });
    await app.deps.db.transaction((tx) => removeSsoProvider(tx, willow_id));
    expect((await browser().session()).sso).toEqual({ staff: null, partners: false });
  });
});

const commandEnv = () => ({
  DATABASE_URL: app.config.DATABASE_URL,
  DATABASE_OWNER_URL: app.config.DATABASE_OWNER_URL,
  DATABASE_JOBS_URL: app.config.DATABASE_JOBS_URL,
  MASTER_KEY: TEST_MASTER_KEY,
  DATA_DIR: app.config.DATA_DIR,
});
