import { type FormProblem, formProblems, oauthErrors, serverMetadata, type TokenResponse } from "@pestle/contract";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
// @ts-expect-error It ships no types; `SimpleClient` below says what is used of it.
import * as simple from "simple-oauth2";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { randomId } from "../../../src/random.ts";
import { operatorAccount } from "../../../src/usecases/accounts/create-partner.ts";
import { createCredential } from "../../../src/usecases/accounts/manage-credentials.ts";
import { startTestApp, type TestApp } from "../../support/test-app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
// A minute for each test, so that wrong secrets do not count against later tests.
beforeEach(() => app.advance(60_000));
afterAll(() => app.stop());

type Credentials = { client_id: string; client_secret: string };
type Parameters = readonly (readonly [name: string, value: string])[];
type Token = Pick<TokenResponse, "access_token" | "expires_in"> & Record<string, unknown>;
/** What a developer sees of an error when using the library. */
type Told = { status: number; error: unknown; error_description: unknown; retry_after: string | null };
type Connected = {
  token(parameters: Parameters): Promise<Token>;
  /** Requests a token with a grant that the token servers do not support. */
  otherGrant(): Promise<unknown>;
  revoke(access_token: string): Promise<unknown>;
  /** Omitted if the library cannot do it. */
  introspect?(access_token: string): Promise<unknown>;
};
type Library = {
  connect(issuer: string, credentials: Credentials, auth: "Basic" | "form"): Promise<Connected>;
  told(thrown: unknown): Promise<Told>;
};

const loopback = { [oauth.allowInsecureRequests]: true };
const mutable = (parameters: Parameters) => parameters.map(([name, value]): [string, string] => [name, value]);

/** Both of panva's clients throw the body of a 400, and for a 401 its challenge with the unread answer. */
async function toldByPanva(thrown: unknown): Promise<Told> {
  if (thrown instanceof oauth.WWWAuthenticateChallengeError) {
    expect(thrown.cause).toMatchObject([{ scheme: "basic", parameters: { realm: expect.any(String) } }]);
    const { error, error_description } = (await thrown.response.json()) as Record<string, unknown>;
    return { status: thrown.status, error, error_description, retry_after: null };
  }
  expect(thrown).toBeInstanceOf(oauth.ResponseBodyError);
  const { status, error, error_description, response } = thrown as oauth.ResponseBodyError;
  return { status, error, error_description, retry_after: response.headers.get("retry-after") };
}

type SimpleToken = { token: Token; revoke(type: string): Promise<unknown> };
type SimpleClient = {
  getToken(parameters: Record<string, unknown>): Promise<SimpleToken>;
  createToken(token: object): SimpleToken;
};

const libraries: Record<string, Library> = {
  oauth4webapi: {
    async connect(issuer, { client_id, client_secret }, auth) {
      const address = new URL(issuer);
      const found = await oauth.discoveryRequest(address, { algorithm: "oauth2", ...loopback });
      const server = await oauth.processDiscoveryResponse(address, found);
      const client = { client_id };
      const proof = auth === "Basic" ? oauth.ClientSecretBasic(client_secret) : oauth.ClientSecretPost(client_secret);
      return {
        async token(parameters) {
          const sent = mutable(parameters);
          const answer = await oauth.clientCredentialsGrantRequest(server, client, proof, sent, loopback);
          return oauth.processClientCredentialsResponse(server, client, answer) as Promise<Token>;
        },
        async otherGrant() {
          const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
          const answer = await oauth.genericTokenEndpointRequest(server, client, proof, grant, {}, loopback);
          return oauth.processGenericTokenEndpointResponse(server, client, answer);
        },
        async revoke(access_token) {
          const answer = await oauth.revocationRequest(server, client, proof, access_token, loopback);
          return oauth.processRevocationResponse(answer);
        },
        async introspect(access_token) {
          const answer = await oauth.introspectionRequest(server, client, proof, access_token, loopback);
          return oauth.processIntrospectionResponse(server, client, answer);
        },
      };
    },
    told: toldByPanva,
  },
  "openid-client": {
    async connect(issuer, { client_id, client_secret }, auth) {
      const proof = auth === "Basic" ? openid.ClientSecretBasic(client_secret) : openid.ClientSecretPost(client_secret);
      const config = await openid.discovery(new URL(issuer), client_id, undefined, proof, {
        algorithm: "oauth2",
        execute: [openid.allowInsecureRequests],
      });
      return {
        token: async (parameters) => {
          const answer = await openid.clientCredentialsGrant(config, new URLSearchParams(mutable(parameters)));
          return answer as unknown as Token;
        },
        otherGrant: () => openid.refreshTokenGrant(config, "a-refresh-token"),
        revoke: (access_token) => openid.tokenRevocation(config, access_token),
        introspect: (access_token) => openid.tokenIntrospection(config, access_token),
      };
    },
    told: toldByPanva,
  },
  "simple-oauth2": {
    async connect(issuer, { client_id, client_secret }, auth) {
      const config = {
        client: { id: client_id, secret: client_secret },
        auth: { tokenHost: issuer },
        options: { authorizationMethod: auth === "Basic" ? "header" : "body" },
      };
      const client = new simple.ClientCredentials(config) as SimpleClient;
      return {
        async token(parameters) {
          // It repeats a parameter whose value is an array.
          const sent: Record<string, string | string[]> = {};
          for (const [name, value] of parameters)
            sent[name] = name in sent ? ([sent[name], value].flat() as string[]) : value;
          return (await client.getToken(sent)).token;
        },
        otherGrant: () => {
          const password = new simple.ResourceOwnerPassword(config) as SimpleClient;
          return password.getToken({ username: "u", password: "p", scope: "partners" });
        },
        revoke: (access_token) => client.createToken({ access_token }).revoke("access_token"),
      };
    },
    async told(thrown) {
      const { data, output } = thrown as {
        data: { payload: Record<string, unknown>; headers: Record<string, string> };
        output: { statusCode: number };
      };
      const { error, error_description } = data.payload;
      return { status: output.statusCode, error, error_description, retry_after: data.headers["retry-after"] ?? null };
    },
  },
};

const refused = (error: keyof typeof oauthErrors, problem?: FormProblem) => {
  const [status, usual] = oauthErrors[error];
  return { status, error, error_description: problem === undefined ? usual : formProblems[problem] };
};

const partners = [["scope", "partners"]] as const;

describe.each(["production", "sandbox"] as const)("the %s token server", (environment) => {
  const issuer = () => (environment === "sandbox" ? app.addresses.sandbox_auth_url : app.addresses.auth_url);
  const own = () => app.demo.partners.find((partner) => partner.environment === environment)!;
  const others = () => app.demo.partners.find((partner) => partner.environment !== environment)!;

  describe.each(Object.entries(libraries))("requested by %s", (name, library) => {
    const failing = async (act: () => Promise<unknown>): Promise<Told> => {
      const thrown = await act().then(
        () => Promise.reject(new Error("it was not refused")),
        (error: unknown) => error,
      );
      return library.told(thrown);
    };

    describe.each(["Basic", "form"] as const)("with %s credentials", (auth) => {
      const connect = (credentials: Credentials = own()) => library.connect(issuer(), credentials, auth);

      test("spec, Authentication 4 and 6: it returns a token that opens the partner API", async () => {
        const before = Math.floor(Date.now() / 1000);
        const token = await (await connect()).token(partners);
        expect(token).toMatchObject({
          token_type: expect.stringMatching(/^bearer$/i),
          expires_in: 43200,
          scope: "partners",
        });
        expect(token["created_at"]).toBeGreaterThanOrEqual(before);
        expect((await app.call("/v1/brands", { token: token.access_token })).status).toBe(200);
      });

      test("spec, Authentication 5: a missing scope is invalid_scope", async () => {
        const client = await connect();
        expect(await failing(() => client.token([]))).toMatchObject(refused("invalid_scope", "scope_missing"));
        expect(await failing(() => client.token([["scope", ""]]))).toMatchObject(
          refused("invalid_scope", "scope_missing"),
        );
      });

      test("spec, Authentication 5: a scope that the credentials lack is invalid_scope", async () => {
        const client = await connect();
        for (const scope of ["intake", "partners intake", "openid"]) {
          expect(await failing(() => client.token([["scope", scope]]))).toMatchObject(
            refused("invalid_scope", "scope_not_granted"),
          );
        }
      });

      test("spec, Authentication 1: any other grant is unsupported_grant_type", async () => {
        const client = await connect();
        expect(await failing(() => client.otherGrant())).toMatchObject(refused("unsupported_grant_type"));
      });

      test("RFC 6749, 5.2: a wrong secret and an unknown client are the same invalid_client", async () => {
        const { client_id, client_secret } = own();
        for (const wrong of [
          { client_id, client_secret: "wrong" },
          // Characters that need encoding in a form or before Basic do not make a request malformed.
          { client_id, client_secret: "wr:ng +%&=~!*()'" },
          { client_id: "nobody", client_secret },
        ]) {
          const client = await connect(wrong);
          expect(await failing(() => client.token(partners))).toMatchObject(refused("invalid_client"));
        }
      });

      test("spec, Authentication 3: credentials of the other environment are unknown", async () => {
        const client = await connect(others());
        expect(await failing(() => client.token(partners))).toMatchObject(refused("invalid_client"));
      });

      test("RFC 6749, 3.2: a repeated parameter is invalid_request", async () => {
        const client = await connect();
        const repeated = [...partners, ["resource", "a"], ["resource", "b"]] as const;
        expect(await failing(() => client.token(repeated))).toMatchObject(
          refused("invalid_request", "parameter_repeated"),
        );
      });

      test("RFC 7009: a revoked token opens nothing, and revoking it again is not an error", async () => {
        const client = await connect();
        const { access_token } = await client.token(partners);
        expect((await app.call("/brands", { token: access_token })).status).toBe(200);
        await client.revoke(access_token);
        await expect
          .poll(async () => (await app.call("/brands", { token: access_token })).status, { timeout: 5_000 })
          .toBe(401);
        await client.revoke(access_token);
        await client.revoke("never-issued");
      });

      test("RFC 7009, 2.2.1: revoking needs the right secret", async () => {
        const client = await connect({ ...own(), client_secret: "wrong" });
        expect(await failing(() => client.revoke("any"))).toMatchObject(refused("invalid_client"));
      });

      // simple-oauth2 cannot introspect.
      if (name === "simple-oauth2") return;
      test("RFC 7662: a client can introspect only its own tokens", async () => {
        const client = await connect();
        const { access_token, created_at } = await client.token(partners);
        expect(await client.introspect!(access_token)).toMatchObject({
          active: true,
          scope: "partners",
          client_id: own().client_id,
          token_type: "Bearer",
          iat: created_at,
          exp: Number(created_at) + 43200,
        });
        await client.revoke(access_token);
        const foreign = await app.token(app.demo.partners.indexOf(others()));
        for (const token of [access_token, foreign, "never-issued"]) {
          expect(await client.introspect!(token)).toEqual({ active: false });
        }
        const wrong = await connect({ ...own(), client_secret: "wrong" });
        expect(await failing(() => wrong.introspect!(access_token))).toMatchObject(refused("invalid_client"));
      });
    });

    test("spec, Authentication 4: a secret both in Basic and in the form is invalid_request", async () => {
      const client = await library.connect(issuer(), own(), "Basic");
      const both = [...partners, ["client_secret", own().client_secret]] as const;
      expect(await failing(() => client.token(both))).toMatchObject(refused("invalid_request", "two_credentials"));
    });

    test("spec, Authentication 5: credentials without scopes work without scope, and must not send one", async () => {
      const credentials = await app.deps.db.transaction(async (tx) => {
        const account_id = await operatorAccount(tx, environment, app.deps.now());
        return createCredential(app.deps, tx, { account_id, name: "no scopes", scopes: [] }, app.deps.now());
      });
      const client = await library.connect(issuer(), credentials, "Basic");
      const token = await client.token([]);
      expect(token).not.toHaveProperty("scope");
      const answer = await app.call("/brands", { token: token.access_token });
      expect([answer.status, await answer.json()]).toMatchObject([401, { error: "insufficient_scope" }]);
      expect(await failing(() => client.token(partners))).toMatchObject(refused("invalid_scope", "scope_unwanted"));
    });

    test("spec, Limits 1: a client that keeps guessing a secret must wait", async () => {
      const client = await library.connect(
        issuer(),
        { client_id: `${randomId(12)}-${randomId(8)}`, client_secret: "guess" },
        "Basic",
      );
      const answers: Told[] = [];
      while (answers.length < 60 && answers.at(-1)?.status !== 429)
        answers.push(await failing(() => client.token(partners)));
      expect(answers.length).toBeGreaterThan(30);
      expect(answers.slice(0, -1)).toEqual(
        Array(answers.length - 1).fill({ ...refused("invalid_client"), retry_after: null }),
      );
      expect(answers.at(-1)).toMatchObject({
        ...refused("too_many_requests"),
        retry_after: expect.stringMatching(/^\d+$/),
      });
    });
  });

  test("RFC 8414: both clients that support discovery find the same metadata", async () => {
    const address = new URL(issuer());
    const found = await oauth.discoveryRequest(address, { algorithm: "oauth2", ...loopback });
    expect(await oauth.processDiscoveryResponse(address, found)).toEqual(serverMetadata(issuer()));
    const config = await openid.discovery(address, "any", undefined, undefined, {
      algorithm: "oauth2",
      execute: [openid.allowInsecureRequests],
    });
    expect(config.serverMetadata()).toMatchObject(serverMetadata(issuer()));
  });

  test("RFC 6749, 3.2: a JSON body is invalid_request", async () => {
    const { client_id, client_secret } = own();
    const client = new simple.ClientCredentials({
      client: { id: client_id, secret: client_secret },
      auth: { tokenHost: issuer() },
      options: { bodyFormat: "json" },
    }) as SimpleClient;
    const thrown = await client.getToken({ scope: "partners" }).catch((error: unknown) => error);
    expect(await libraries["simple-oauth2"]!.told(thrown)).toMatchObject(refused("invalid_request", "not_a_form"));
  });
});
