import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OAuthRefusal } from "../../../src/domain/values/refusals.ts";
import { authenticateClient } from "../../../src/usecases/accounts/authenticate-client.ts";
import {
  createCredential,
  finishRotation,
  revokeCredential,
  rotateCredential,
} from "../../../src/usecases/accounts/manage-credentials.ts";
import { tidy } from "../../../src/usecases/operations/tidy.ts";
import { expectConventions } from "../../support/conventions.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";
import { askTokenServer, type Credentials, freshToken } from "../../support/token-request.ts";
import { until } from "../../support/tools/until.ts";
import { watchRows } from "../../support/tools/watch-rows.ts";

let app: TestApp;
let partner: TestApp["demo"]["partners"][number];
let url: string;
beforeAll(async () => {
  app = await startTestApp();
  partner = app.demo.partners[0]!;
  url = app.addresses.sandbox_auth_url;
});
afterAll(() => app.stop());

const grant = { grant_type: "client_credentials", scope: "partners" };
const ask = (path: string, token: string, credentials: Credentials = partner) =>
  askTokenServer(url, { token }, { credentials, path });
const newCredential = () =>
  app.deps.db.transaction((tx) =>
    createCredential(app.deps, tx, { account_id: partner.account_id, name: "t", scopes: ["partners"] }, app.deps.now()),
  );
const works = async (token: string) => (await app.call("/brands", { token })).status === 200;

describe("revocation (RFC 7009)", () => {
  test("a revoked token stops working immediately, and revoking it again gets the same answer", async () => {
    const token = await freshToken(app, partner);
    expect(await works(token)).toBe(true);
    for (let times = 0; times < 2; times++) {
      const response = await ask("/oauth/revoke", token);
      expect([response.status, await expectConventions(response, "token")]).toEqual([200, ""]);
    }
    expect(await works(token)).toBe(false);
  });

  test("a client cannot revoke another account's token, and does not learn that it exists", async () => {
    const token = await freshToken(app, partner);
    const response = await ask("/oauth/revoke", token, app.demo.partners[1]!);
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(await works(token)).toBe(true);
  });

  test("a request without a token is invalid_request", async () => {
    const response = await askTokenServer(url, {}, { credentials: partner, path: "/oauth/revoke" });
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([400, "invalid_request"]);
  });
});

describe("introspection (RFC 7662)", () => {
  test("returns an account's own live tokens", async () => {
    const token = await freshToken(app, partner);
    const response = await ask("/oauth/introspect", token);
    expect(JSON.parse(await expectConventions(response, "token"))).toEqual({
      active: true,
      scope: "partners",
      client_id: partner.client_id,
      token_type: "Bearer",
      exp: expect.any(Number),
      iat: expect.any(Number),
      account_id: partner.account_id,
      environment: "sandbox",
    });
  });

  test("says only that a token is inactive if it is unknown, revoked or another account's", async () => {
    const revoked = await freshToken(app, partner);
    await ask("/oauth/revoke", revoked);
    const foreign = await freshToken(app, app.demo.partners[1]!);
    for (const token of ["unknown", revoked, foreign]) {
      expect(await (await ask("/oauth/introspect", token)).json()).toEqual({ active: false });
    }
  });

  test("a token without scopes is active there, though the partner API rejects it", async () => {
    const credentials = await app.deps.db.transaction((tx) =>
      createCredential(app.deps, tx, { account_id: partner.account_id, name: "none", scopes: [] }, app.deps.now()),
    );
    const token = await freshToken(app, credentials, "");
    const answer = (await (await ask("/oauth/introspect", token)).json()) as object;
    expect(answer).toMatchObject({ active: true, client_id: credentials.client_id });
    expect(answer).not.toHaveProperty("scope");
    expect(await works(token)).toBe(false);
  });
});

test("metadata (RFC 8414) names the endpoints of the server that received the request", async () => {
  for (const issuer of [app.addresses.auth_url, app.addresses.sandbox_auth_url]) {
    const response = await fetch(`${issuer}/.well-known/oauth-authorization-server`);
    const metadata = JSON.parse(await expectConventions(response, "token")) as Record<string, string>;
    expect(metadata["issuer"]).toBe(issuer);
    expect(metadata["token_endpoint"]).toBe(`${issuer}/oauth/token`);
  }
});

describe("rotation", () => {
  test("two secrets work in parallel until the older one ends, and each shows its last use", async () => {
    const first = await newCredential();
    const token = await freshToken(app, first);
    const second = await app.deps.db.transaction((tx) =>
      rotateCredential(app.deps, tx, first.client_id, app.deps.now()),
    );
    expect(second.client_secret).not.toBe(first.client_secret);
    expect(await freshToken(app, first)).toBeTruthy();
    expect(await freshToken(app, second)).toBeTruthy();
    await expect(
      app.deps.db.transaction((tx) => rotateCredential(app.deps, tx, first.client_id, app.deps.now())),
    ).rejects.toThrow(/two live secrets/);

    await app.deps.db.transaction((tx) => finishRotation(tx, first.client_id, app.deps.now()));
    const refused = async () => (await askTokenServer(url, grant, { credentials: first })).status === 401;
    await until(refused, "the older secret is refused");
    expect(await freshToken(app, second)).toBeTruthy();
    expect(await works(token)).toBe(true);

    const { rows } = await app.deps.db.raw("select last_used_at from credential_secret where credential_id = $1", [
      first.client_id.slice(13),
    ]);
    expect(rows.map(({ last_used_at }) => last_used_at instanceof Date)).toEqual([true, true]);
  });

  test("revoking a leaked secret revokes its tokens, and keeps those of the other", async () => {
    const first = await newCredential();
    const leaked = await freshToken(app, first);
    const second = await app.deps.db.transaction((tx) =>
      rotateCredential(app.deps, tx, first.client_id, app.deps.now()),
    );
    const good = await freshToken(app, second);
    expect([await works(leaked), await works(good)]).toEqual([true, true]);
    await app.deps.db.transaction((tx) => revokeCredential(tx, first.client_id, app.deps.now(), first.secret_id));
    await until(async () => !(await works(leaked)), "the leaked secret's token is refused");
    expect(await works(good)).toBe(true);
  });

  test("a revoked credential gets no token and its tokens stop", async () => {
    const credentials = await newCredential();
    const token = await freshToken(app, credentials);
    expect(await works(token)).toBe(true);
    await app.deps.db.transaction((tx) => revokeCredential(tx, credentials.client_id, app.deps.now()));
    await until(async () => !(await works(token)), "the token is refused");
    expect((await askTokenServer(url, grant, { credentials })).status).toBe(401);
  });
});

test("the database stores the encrypted digest of the secret, which decrypts only in its own row", async () => {
  const { client_id, client_secret } = await newCredential();
  const { rows } = await app.deps.db.raw("select digest_sealed from credential_secret where credential_id = $1", [
    client_id.slice(13),
  ]);
  const sealed = rows[0]?.["digest_sealed"] as Buffer;
  const place = `credential_secret.digest_sealed ${client_id.slice(0, 12)} ${client_id.slice(13)} 1`;
  expect(app.deps.vault.open(sealed, place).toString()).toBe(hash("sha256", client_secret, "hex"));
  expect(sealed.includes(Buffer.from(hash("sha256", client_secret, "hex")))).toBe(false);
  expect(() => app.deps.vault.open(sealed, place.replace(/1$/, "2"))).toThrow();
});

test("only the hash of a token is stored", async () => {
  const token = await freshToken(app, partner);
  const { rows } = await app.deps.db.raw(
    "select encode(token_hash, 'hex') as token_hash from access_token where token_hash = $1",
    [hash("sha256", token, "buffer")],
  );
  expect(rows).toEqual([{ token_hash: hash("sha256", token, "hex") }]);
});

test("30 failed authentications in a minute block a client id for its address, and the answer gives the wait", async () => {
  const own = await startTestApp();
  const credentials = { ...own.demo.partners[0]!, client_secret: "wrong" };
  const attempt = (given: Credentials = credentials) =>
    askTokenServer(own.addresses.sandbox_auth_url, grant, { credentials: given });
  for (let failed = 0; failed < 30; failed++) expect((await attempt()).status).toBe(401);
  // On a busy machine, some of the tries are forgotten meanwhile.
  let closed = await attempt();
  for (let more = 0; more < 300 && closed.status !== 429; more++) closed = await attempt();
  expect([closed.status, ((await closed.json()) as { error: string }).error]).toEqual([429, "too_many_requests"]);
  expect((await attempt(own.demo.partners[0]!)).status).toBe(429);
  // Another client id from the same address is not blocked.
  expect((await attempt(own.demo.partners[1]!)).status).toBe(200);
  own.advance(Number(closed.headers.get("retry-after")) * 1000);
  expect((await attempt(own.demo.partners[0]!)).status).toBe(200);
  await own.stop();
});

test("wrong secrets from many addresses never spend the client's own limit", async () => {
  const { client_id, client_secret } = app.demo.partners[0]!;
  const attempt = (secret: string, address: string) =>
    authenticateClient(app.deps, "sandbox", { client_id, client_secret: secret }, address).then(
      () => "authenticated",
      (error) => (error as OAuthRefusal).error,
    );
  expect(await attempt(client_secret, "198.51.100.1")).toBe("authenticated");
  const told = new Set<string>();
  for (let number = 0; number < 130; number++) told.add(await attempt("wrong", `203.0.113.${number % 13}`));
  expect([...told]).toEqual(["invalid_client"]);
  expect(await attempt(client_secret, "198.51.100.1")).toBe("authenticated");
  expect(await attempt(client_secret, "203.0.113.1")).toBe("authenticated");
});

test("an unknown client and a wrong secret take the same steps: one statement each; an id without our form takes none", async () => {
  const statements = async (credentials: Credentials) => {
    const calls: string[] = [];
    const stop = watchRows(app.environments.sandbox.tenants, (text) => {
      if (text.includes("credential_secret")) calls.push(text);
    });
    expect((await askTokenServer(url, grant, { credentials })).status).toBe(401);
    stop();
    return calls;
  };
  const wrong = await statements({ ...partner, client_secret: "wrong" });
  const unknown = await statements({ client_id: `${"a".repeat(12)}-${"b".repeat(8)}`, client_secret: "wrong" });
  const malformed = await statements({ client_id: "nobody", client_secret: "wrong" });
  expect(wrong).toHaveLength(1);
  expect(unknown).toEqual(wrong);
  expect(malformed).toEqual([]);
});

test("expired tokens are deleted, so the table stays bounded", async () => {
  const own = await startTestApp();
  for (let made = 0; made < 5; made++) await freshToken(own, own.demo.partners[0]!);
  const count = async () => Number((await own.deps.db.raw("select count(*) as n from access_token")).rows[0]?.["n"]);
  expect(await count()).toBe(5);
  await tidy(own.deps);
  expect(await count()).toBe(5);
  own.advance(43_201_000);
  expect((await tidy(own.deps)).tokens).toBe(5);
  expect(await count()).toBe(0);
  await own.stop();
});
