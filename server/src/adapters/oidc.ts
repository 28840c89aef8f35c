import type { Configuration } from "openid-client";

/** An OpenID Connect provider as an administrator registered it. */
type OidcProvider = { issuer: string; client_id: string; client_secret: string | null };
/** What must come back unchanged, or belongs to the code that comes back. */
type Pending = { state: string; nonce: string; verifier: string };
type OidcIdentity = { subject: string; email: string | null; email_verified: boolean; name: string | null };

/** Signs a person in at another system: authorization code with PKCE, state and nonce. */
export type Oidc = {
  begin(provider: OidcProvider, redirect_uri: string, login_hint?: string): Promise<{ url: string; pending: Pending }>;
  /** Throws if the answer is not the one to the pending request, or if the ID token is not valid. */
  finish(provider: OidcProvider, callback: URL, pending: Pending): Promise<OidcIdentity>;
};

const TIMEOUT_S = 10;
const SCOPE = "openid email profile";
const LONGEST = 255;

/** Loaded with the first sign-in, because most installations have no provider. */
const library = () => import("openid-client");

export const openidClient: Oidc = {
  async begin(provider, redirect_uri, login_hint) {
    const openid = await library();
    const config = await discovered(provider);
    const pending = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier(),
    };
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri,
      scope: SCOPE,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: "S256",
      ...(login_hint === undefined ? {} : { login_hint }),
    });
    return { url: url.href, pending };
  },

  async finish(provider, callback, { state, nonce, verifier }) {
    const openid = await library();
    const config = await discovered(provider);
    const tokens = await openid.authorizationCodeGrant(config, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    // Some providers send the address only here.
    const more =
      claims["email"] === undefined && config.serverMetadata().userinfo_endpoint !== undefined
        ? await openid.fetchUserInfo(config, tokens.access_token, claims.sub)
        : {};
    const told: Record<string, unknown> = { ...more, ...claims };
    return {
      subject: claims.sub.slice(0, LONGEST),
      email: textOf(told["email"]),
      email_verified: told["email_verified"] === true || told["email_verified"] === "true",
      name: textOf(told["name"]),
    };
  },
};

/** Reads the provider's own description each time: sign-ins are rare, and its keys change. */
async function discovered({ issuer, client_id, client_secret }: OidcProvider): Promise<Configuration> {
  const openid = await library();
  const url = new URL(issuer);
  const plain = url.protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  return openid.discovery(
    url,
    client_id,
    undefined,
    client_secret === null ? openid.None() : openid.ClientSecretBasic(client_secret),
    {
      timeout: TIMEOUT_S,
      // Verify the ID token's signature too, although it comes straight from the provider.
      execute: [openid.enableNonRepudiationChecks, ...(plain ? [openid.allowInsecureRequests] : [])],
    },
  );
}

const textOf = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && value.length <= LONGEST ? value : null;
