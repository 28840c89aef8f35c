import { createSecretKey, type JsonWebKey, randomUUID, type webcrypto } from "node:crypto";
import type { AddressInfo } from "node:net";
import { ASSERTION_TYPE, clientProblems, type PortalCredential, type PortalShownSecret } from "@pestle/contract";
import { exportJWK, exportSPKI, generateKeyPair, importJWK, jwtVerify, SignJWT } from "jose";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { assertionSigner } from "../../../../sdk/src/client-assertion.ts";
import { createPestle } from "../../../../sdk/src/index.ts";
import { readPublicKey } from "../../../src/domain/accounts/public-key.ts";
import { tidy } from "../../../src/usecases/operations/tidy.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { askTokenServer, basic } from "../../support/token-request.ts";
import { signedIn, type WebPerson } from "../../support/web.ts";

/** One address for all processes, as behind a load balancer. */
const ISSUER = "https://auth.sandbox.example";
let app: TestApp;
let willow: WebPerson;
beforeAll(async () => {
  // Each test moves the clock by a minute, and all of them share one sign-in.
  app = await startTestApp({ env: { SANDBOX_AUTH_URL: ISSUER, STEP_UP_MINUTES: "720" } });
  willow = await signedIn(app, app.demo.partners[0]!.portal);
});
beforeEach(() => app.advance(60_000));
afterAll(() => app.stop());

const loopbackOf = ({ listeners }: TestApp) =>
  `http://127.0.0.1:${(listeners.sandbox_auth.server.address() as AddressInfo).port}`;
/** Takes a library's requests for the public address to the listener. */
const toListener = (url: string, init: object) => fetch(url.replace(ISSUER, loopbackOf(app)), init as RequestInit);

const P = "/portal/sandbox/credentials";
const pathOf = (client_id: string) => `${P}/${client_id.split("-")[1]}`;
const listed = async (client_id: string): Promise<PortalCredential> =>
  (await willow.get(P)).body.credentials.find((one: PortalCredential) => one.client_id === client_id);
const created = async (): Promise<PortalShownSecret> =>
  (await willow.send("POST", P, { name: "signing service" })).body;

type Pair = { privateKey: webcrypto.CryptoKey; publicKey: webcrypto.CryptoKey };
const pairs = new Map<string, Promise<Pair>>();
/** RSA keys take long to generate, so tests share a pair per algorithm. */
const pairOf = (alg: string): Promise<Pair> => {
  const known = pairs.get(alg) ?? (generateKeyPair(alg, { extractable: true }) as Promise<Pair>);
  pairs.set(alg, known);
  return known;
};

/** A new credential with a registered key. */
async function withKey(alg = "ES256", kid: string = randomUUID()) {
  const made = await created();
  const pair = await pairOf(alg);
  const jwk = { ...(await exportJWK(pair.publicKey)), kid };
  const added = await willow.send("POST", `${pathOf(made.client_id)}/keys`, { key: jwk });
  expect(added.status, added.text).toBe(200);
  return { ...made, ...pair, kid, alg };
}

type Made = Awaited<ReturnType<typeof withKey>>;
const nowS = () => Math.floor(app.deps.now().getTime() / 1000);
const claimsOf = ({ client_id }: { client_id: string }, changes: object = {}) => ({
  ...{ iss: client_id, sub: client_id, aud: ISSUER, jti: randomUUID(), iat: nowS(), exp: nowS() + 60 },
  ...changes,
});
const signed = (made: Made, changes: object = {}, header: object = {}) =>
  new SignJWT(claimsOf(made, changes))
    .setProtectedHeader({ alg: made.alg, kid: made.kid, ...header })
    .sign(made.privateKey);

type Answer = { status: number; body: Record<string, unknown> };
async function ask(client_assertion: string, more: Record<string, string> = {}, at = app): Promise<Answer> {
  const form = { grant_type: "client_credentials", scope: "partners", client_assertion_type: ASSERTION_TYPE };
  const answer = await askTokenServer(loopbackOf(at), { ...form, client_assertion, ...more });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}
const refusedFor = (problem: keyof typeof clientProblems) => ({
  status: 401,
  body: { error: "invalid_client", error_description: clientProblems[problem] },
});
const bySecret = async (credentials: PortalShownSecret) => {
  const answer = await askTokenServer(
    loopbackOf(app),
    { grant_type: "client_credentials", scope: "partners" },
    { credentials },
  );
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

describe("private_key_jwt (RFC 7523)", () => {
  describe.each(["ES256", "Ed25519", "PS256", "RS256"])("with %s", (alg) => {
    test("oauth4webapi gets, introspects and revokes a token that opens the API", async () => {
      const made = await withKey(alg);
      const options = { [oauth.customFetch]: toListener };
      const found = await oauth.discoveryRequest(new URL(ISSUER), { algorithm: "oauth2", ...options });
      const server = await oauth.processDiscoveryResponse(new URL(ISSUER), found);
      expect(server.token_endpoint_auth_methods_supported).toContain("private_key_jwt");
      expect(server.token_endpoint_auth_signing_alg_values_supported).toContain(alg);
      const client = { client_id: made.client_id, [oauth.clockSkew]: nowS() - Math.floor(Date.now() / 1000) };
      const proof = oauth.PrivateKeyJwt({ key: made.privateKey, kid: made.kid });
      const sent = { scope: "partners" };
      const answer = await oauth.clientCredentialsGrantRequest(server, client, proof, sent, options);
      const { access_token } = await oauth.processClientCredentialsResponse(server, client, answer);
      expect((await app.call("/brands", { token: access_token })).status).toBe(200);
      const seen = await oauth.introspectionRequest(server, client, proof, access_token, options);
      expect(await oauth.processIntrospectionResponse(server, client, seen)).toMatchObject({ active: true });
      const ended = await oauth.revocationRequest(server, client, proof, access_token, options);
      await oauth.processRevocationResponse(ended);
      await expect
        .poll(async () => (await app.call("/brands", { token: access_token })).status, { timeout: 60_000 })
        .toBe(401);
      expect(await listed(made.client_id)).toMatchObject({
        last_used_at: expect.any(String),
        keys: [{ kid: made.kid, last_used_at: expect.any(String) }],
        secrets: [{ last_used_at: null }],
      });
    });
  });

  test("openid-client gets a token", async () => {
    const made = await withKey("ES256");
    const auth = openid.PrivateKeyJwt({ key: made.privateKey, kid: made.kid });
    const skew = nowS() - Math.floor(Date.now() / 1000);
    const client = { [openid.clockSkew]: skew };
    const config = await openid.discovery(new URL(ISSUER), made.client_id, client, auth, {
      algorithm: "oauth2",
      [openid.customFetch]: toListener,
    });
    expect(await openid.clientCredentialsGrant(config, { scope: "partners" })).toMatchObject({ expires_in: 43200 });
  });

  test("the token endpoint is a valid audience too, and a named key is not needed", async () => {
    const made = await withKey();
    for (const aud of [`${ISSUER}/oauth/token`, [ISSUER], [ISSUER, `${ISSUER}/oauth/token`]]) {
      expect(await ask(await signed(made, { aud }, { kid: undefined }))).toMatchObject({ status: 200 });
    }
    expect(await ask(await signed(made), { client_id: made.client_id })).toMatchObject({ status: 200 });
  });

  test("each assertion works once, in every process", async () => {
    const made = await withKey();
    const other = await startTestApp({
      url: app.config.DATABASE_OWNER_URL,
      demo: app.demo,
      env: { SANDBOX_AUTH_URL: ISSUER },
    });
    try {
      other.advance(app.deps.now().getTime() - other.deps.now().getTime());
      const assertion = await signed(made);
      expect(await ask(assertion)).toMatchObject({ status: 200 });
      expect(await ask(assertion)).toMatchObject(refusedFor("assertion_used"));
      expect(await ask(assertion, {}, other)).toMatchObject(refusedFor("assertion_used"));
      // Two at once: one of them wins.
      const raced = await signed(made);
      const answers = await Promise.all([ask(raced), ask(raced, {}, other), ask(raced), ask(raced, {}, other)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    } finally {
      await other.stop();
    }
  });

  test("the store of used assertions keeps only those that have not expired", async () => {
    const made = await withKey();
    await ask(await signed(made));
    const kept = async () =>
      (await app.deps.db.raw("select from client_assertion where credential_id = $1", [made.client_id.split("-")[1]]))
        .count;
    await tidy(app.deps);
    expect(await kept()).toBe(1);
    app.advance(61_000);
    await tidy(app.deps);
    expect(await kept()).toBe(0);
  });

  test("none and HMAC are refused, also with the public key as the secret", async () => {
    const made = await withKey("RS256");
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const unsigned = `${encoded({ alg: "none" })}.${encoded(claimsOf(made))}`;
    expect(await ask(`${unsigned}.`)).toMatchObject(refusedFor("assertion_form"));
    expect(await ask(`${unsigned}.AA`)).toMatchObject(refusedFor("assertion_algorithm"));
    const pem = createSecretKey(Buffer.from(await exportSPKI(made.publicKey)));
    const confused = await new SignJWT(claimsOf(made)).setProtectedHeader({ alg: "HS256", kid: made.kid }).sign(pem);
    expect(await ask(confused)).toMatchObject(refusedFor("assertion_algorithm"));
    const secret = createSecretKey(Buffer.from(made.client_secret));
    const shared = await new SignJWT(claimsOf(made)).setProtectedHeader({ alg: "HS256" }).sign(secret);
    expect(await ask(shared)).toMatchObject(refusedFor("assertion_algorithm"));
  });

  test("a key signs only with its own algorithm", async () => {
    const made = await withKey("RS256");
    const { privateKey } = await pairOf("RS256");
    const asPss = await importJWK({ ...(await exportJWK(privateKey)), alg: "PS256" }, "PS256");
    const pss = await new SignJWT(claimsOf(made)).setProtectedHeader({ alg: "PS256", kid: made.kid }).sign(asPss);
    expect(await ask(pss)).toMatchObject({ status: 200 });
    // The same key, registered for RS256 alone.
    const strict = await created();
    const jwk = { ...(await exportJWK(made.publicKey)), alg: "RS256", kid: "strict" };
    expect((await willow.send("POST", `${pathOf(strict.client_id)}/keys`, { key: jwk })).status).toBe(200);
    const wrong = await new SignJWT(claimsOf(strict)).setProtectedHeader({ alg: "PS256" }).sign(asPss);
    expect(await ask(wrong)).toMatchObject(refusedFor("assertion_key"));
  });

  test.each<[string, object, keyof typeof clientProblems]>([
    ["another audience", { aud: "https://other.example" }, "assertion_audience"],
    ["another audience beside ours", { aud: [ISSUER, "https://other.example"] }, "assertion_audience"],
    ["no audience", { aud: undefined }, "assertion_audience"],
    ["an empty list of audiences", { aud: [] }, "assertion_audience"],
    ["another issuer than subject", { iss: "somebody" }, "assertion_client"],
    ["no jti", { jti: undefined }, "assertion_id"],
    ["a giant jti", { jti: "x".repeat(256) }, "assertion_id"],
    ["no exp", { exp: undefined }, "assertion_time"],
    ["exp as text", { exp: "soon" }, "assertion_time"],
  ])("%s is refused, and the answer says why", async (_name, changes, problem) => {
    expect(await ask(await signed(await withKey(), changes))).toMatchObject(refusedFor(problem));
  });

  test("exp is in the future and at most five minutes ahead; nbf and iat are not in the future", async () => {
    const made = await withKey();
    for (const times of [{ exp: nowS() - 1 }, { exp: nowS() + 600 }, { nbf: nowS() + 120 }, { iat: nowS() + 120 }]) {
      expect(await ask(await signed(made, times))).toMatchObject(refusedFor("assertion_time"));
    }
    expect(await ask(await signed(made, { exp: nowS() + 300 }))).toMatchObject({ status: 200 });
  });

  test("another key, another client and the other token server are the same invalid_client", async () => {
    const made = await withKey();
    const stranger = await generateKeyPair("ES256");
    const other = await withKey();
    for (const assertion of [
      await signed({ ...made, privateKey: stranger.privateKey as webcrypto.CryptoKey }),
      // The key is right, but it is another credential's.
      await new SignJWT(claimsOf(made)).setProtectedHeader({ alg: "ES256", kid: other.kid }).sign(other.privateKey),
      await signed({ ...made, client_id: `${made.client_id.slice(0, 13)}zzzzzzzz` }),
      `${await signed(made)}A`,
    ]) {
      expect(await ask(assertion)).toMatchObject(refusedFor("assertion_key"));
    }
    const production = await askTokenServer(app.addresses.auth_url, {
      grant_type: "client_credentials",
      scope: "partners",
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await signed(made, { aud: app.addresses.auth_url }),
    });
    expect(production.status).toBe(401);
  });

  test("an assertion beside a secret, of another type or for another client_id is invalid_request", async () => {
    const made = await withKey();
    for (const more of [
      { client_secret: made.client_secret },
      { client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer" },
      { client_assertion: "" },
      { client_id: "another" },
    ] as Record<string, string>[]) {
      expect(await ask(await signed(made), more)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    }
    const both = await askTokenServer(
      loopbackOf(app),
      { grant_type: "client_credentials", client_assertion_type: ASSERTION_TYPE, client_assertion: await signed(made) },
      { headers: { authorization: basic(made) } },
    );
    expect(both.status).toBe(400);
  });
});

describe("the keys of a credential", () => {
  test("a credential with keys keeps its secret, until the secret only signs webhooks", async () => {
    const made = await withKey();
    expect(await bySecret(made)).toMatchObject({ status: 200 });
    expect((await willow.send("PATCH", pathOf(made.client_id), { key_required: true })).status).toBe(200);
    await expect.poll(() => bySecret(made), { timeout: 60_000 }).toMatchObject(refusedFor("key_required"));
    expect(await ask(await signed(made))).toMatchObject({ status: 200 });
    expect((await listed(made.client_id)).secrets).toHaveLength(1);
    const endpoint = { url: "https://hooks.example/pestle", secret: "ours", events: ["RX_RECEIVED"] };
    const hooked = await willow.send("POST", "/portal/sandbox/webhook_endpoints", {
      ...endpoint,
      signing_credential_id: made.client_id,
    });
    expect(hooked.status, hooked.text).toBe(201);
    // Its only key cannot go now.
    const last = await willow.send("POST", `${pathOf(made.client_id)}/keys/remove`, { kid: made.kid });
    expect([last.status, last.body.error.message]).toEqual([422, expect.stringContaining("only one")]);
  });

  test("without a key, a key cannot be required", async () => {
    const made = await created();
    const told = await willow.send("PATCH", pathOf(made.client_id), { key_required: true });
    expect([told.status, told.body.error.message]).toEqual([422, expect.stringContaining("no key yet")]);
  });

  test("a removed key gets no tokens, and its tokens end with it; the secret's tokens stay", async () => {
    const made = await withKey();
    const { access_token } = (await ask(await signed(made))).body as { access_token: string };
    const secret = (await bySecret(made)).body as { access_token: string };
    expect((await app.call("/brands", { token: access_token })).status).toBe(200);
    const removed = await willow.send("POST", `${pathOf(made.client_id)}/keys/remove`, { kid: made.kid });
    expect(removed.status).toBe(200);
    await expect
      .poll(async () => (await app.call("/brands", { token: access_token })).status, { timeout: 60_000 })
      .toBe(401);
    await expect.poll(async () => (await ask(await signed(made))).status, { timeout: 60_000 }).toBe(401);
    expect((await app.call("/brands", { token: secret.access_token })).status).toBe(200);
    const again = await willow.send("POST", `${pathOf(made.client_id)}/keys/remove`, { kid: made.kid });
    expect(again.status).toBe(422);
    // The same key registered again does not bring the old tokens back.
    const jwk = { ...(await exportJWK(made.publicKey)), kid: made.kid };
    expect((await willow.send("POST", `${pathOf(made.client_id)}/keys`, { key: jwk })).status).toBe(200);
    expect((await app.call("/brands", { token: access_token })).status).toBe(401);
  });

  test("PEM works too, and a key without a kid is named by its thumbprint", async () => {
    const made = await created();
    const { publicKey } = await pairOf("Ed25519");
    const told = await willow.send("POST", `${pathOf(made.client_id)}/keys`, { key: await exportSPKI(publicKey) });
    expect(told.status, told.text).toBe(200);
    expect((await listed(made.client_id)).keys).toMatchObject([
      { kid: expect.stringMatching(/^[\w-]{43}$/), kty: "OKP" },
    ]);
  });

  test("private keys, shared keys, other curves and small keys are refused with a reason", async () => {
    const made = await created();
    const { privateKey, publicKey } = await pairOf("ES256");
    const small = await generateKeyPair("RS256", { modulusLength: 2048 });
    const p384 = await generateKeyPair("ES384", { extractable: true });
    const { n, ...rsa } = await exportJWK(small.publicKey);
    const refused: [key: unknown, says: string][] = [
      [await exportJWK(privateKey), "private"],
      ["-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----", "private"],
      [{ kty: "oct", k: "c2VjcmV0" }, "shared"],
      [await exportJWK(p384.publicKey), "P-256"],
      [{ ...rsa, n: n!.slice(0, 172) }, "bits"],
      [{ ...(await exportJWK(publicKey)), alg: "HS256" }, "alg"],
      [{ ...(await exportJWK(publicKey)), use: "enc" }, "use"],
      [{ ...(await exportJWK(publicKey)), x: "AAAA" }, "valid"],
      [{ ...(await exportJWK(publicKey)), kid: "with space" }, "kid"],
      ["hello", "not a public key"],
      ["{", "not a public key"],
      [7, "not a public key"],
      [undefined, "not a public key"],
    ];
    for (const [key, says] of refused) {
      const told = await willow.send("POST", `${pathOf(made.client_id)}/keys`, { key });
      expect([told.status, told.body.error?.message], String(says)).toEqual([422, expect.stringContaining(says)]);
    }
    expect(readPublicKey({ ...(await exportJWK(publicKey)), use: "sig", extra: "dropped" })).toMatchObject({
      jwk: expect.not.objectContaining({ extra: "dropped" }),
    });
  });

  test("a credential has at most five keys, each with its own kid", async () => {
    const made = await withKey("ES256", "first");
    const jwk = await exportJWK(made.publicKey);
    const add = (kid: string) => willow.send("POST", `${pathOf(made.client_id)}/keys`, { key: { ...jwk, kid } });
    expect((await add("first")).status).toBe(422);
    for (const kid of ["second", "third", "fourth", "fifth"]) expect((await add(kid)).status).toBe(200);
    expect((await add("sixth")).body.error.message).toContain("at most 5");
  });

  test("the audit log names each change", async () => {
    const made = await withKey();
    await willow.send("PATCH", pathOf(made.client_id), { key_required: true });
    await willow.send("PATCH", pathOf(made.client_id), { key_required: false });
    await willow.send("POST", `${pathOf(made.client_id)}/keys/remove`, { kid: made.kid });
    const { rows } = await app.deps.db.raw("select action from audit_entry where subject = $1 order by audit_id", [
      made.client_id,
    ]);
    expect(rows.map(({ action }) => action)).toEqual([
      "credential_created",
      "credential_key_added",
      "credential_limited",
      "credential_limited",
      "credential_key_removed",
    ]);
  });
});

describe("the SDK", () => {
  test.each(["ES256", "EdDSA", "PS256"])("signs %s so that jose verifies it", async (alg) => {
    const { privateKey, publicKey } = await pairOf(alg);
    const jwk = { ...(await exportJWK(privateKey)), kid: "k1" } as JsonWebKey;
    const assertion = await assertionSigner(jwk, undefined)("client", ISSUER, new Date());
    const { payload, protectedHeader } = await jwtVerify(assertion, publicKey, {
      audience: ISSUER,
      issuer: "client",
      subject: "client",
      maxTokenAge: 60,
    });
    expect(protectedHeader).toEqual({ alg, typ: "JWT", kid: "k1" });
    expect(payload).toMatchObject({ jti: expect.any(String) });
  });

  test("calls the API with a private key and without the secret", async () => {
    const made = await withKey("Ed25519");
    await willow.send("PATCH", pathOf(made.client_id), { key_required: true });
    const sent: string[] = [];
    const pestle = createPestle({
      client_id: made.client_id,
      private_key: (await exportJWK(made.privateKey)) as JsonWebKey,
      key_id: made.kid,
      base_url: app.addresses.base_url,
      auth_url: ISSUER,
      now: app.deps.now,
      fetch: (async (input: string | URL, init?: RequestInit) => {
        sent.push(`${String(input)} ${String(init?.body ?? "")}`);
        return String(input).startsWith(ISSUER) ? toListener(String(input), init ?? {}) : fetch(input, init);
      }) as typeof fetch,
    });
    expect((await pestle.brands()).length).toBeGreaterThan(0);
    expect(sent.join("\n")).not.toContain(made.client_secret);
    expect(sent[0]).toContain("client_assertion=");
  });

  test("says what is wrong with its options", () => {
    const rest = { client_id: "c", base_url: "https://a.example", auth_url: ISSUER };
    expect(() => createPestle(rest)).toThrow("client_secret or private_key");
    expect(() => createPestle({ ...rest, private_key: "x" })).toThrow("private_key is not a private key");
    expect(() => createPestle({ ...rest, private_key: createSecretKey(Buffer.from("x")) })).toThrow("Ed25519");
  });
});
