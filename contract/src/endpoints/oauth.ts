import { doc_url, request_id } from "../error-bodies.ts";
import { array, boolean, integer, named, object, oneOf, type Static, string } from "../schema.ts";
import { ASSERTION_TYPE } from "./assertion-type.ts";

export const grantTypes = ["client_credentials"] as const;
export type GrantType = (typeof grantTypes)[number];

/** Scopes of a credential. A credential can have none: then its tokens serve other APIs behind the token server. */
export const scopes = {
  partners: "The partner API.",
  intake: "E-prescription delivery by a network.",
} as const;
export type Scope = keyof typeof scopes;
export const scopeNames = Object.keys(scopes) as [Scope, ...Scope[]];

/** Each has its own token server, credentials and data. */
export const environments = ["production", "sandbox"] as const;
export type Environment = (typeof environments)[number];

/** The lifetime of a token, unless its credential sets a shorter one. */
export const TOKEN_LIFETIME_S = 43_200;
export const SHORTEST_TOKEN_LIFETIME_S = 60;

/** How a client can authenticate, with the names from RFC 8414. */
export const clientAuthMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt"] as const;

/** Signatures of a client assertion. `Ed25519` is RFC 9864's name for `EdDSA` with that curve. */
export const assertionAlgorithms = ["ES256", "EdDSA", "Ed25519", "PS256", "RS256"] as const;
export type AssertionAlgorithm = (typeof assertionAlgorithms)[number];

/** How far ahead the `exp` of an assertion can be. */
export const LONGEST_ASSERTION_S = 300;
export const MOST_KEYS = 5;
export const MOST_NETWORKS = 50;

/** Errors of the token server, RFC 6749 section 5.2: `error: [status, error_description]`. */
export const oauthErrors = {
  invalid_request: [
    400,
    "The request lacks a parameter, repeats one, sends credentials in two places, or is not form-encoded.",
  ],
  invalid_client: [
    401,
    "The client is unknown to this token server or its secret is wrong. Sandbox and production have different token servers: use the one of the credential's environment.",
  ],
  unsupported_grant_type: [
    400,
    "grant_type must be client_credentials, the only supported grant. Send grant_type=client_credentials.",
  ],
  invalid_scope: [400, "The scope is missing, or the credentials do not have it."],
  too_many_requests: [429, "Too many requests. Wait for the time in Retry-After, then send it again."],
} as const satisfies Record<string, readonly [status: number, error_description: string]>;
export type OauthError = keyof typeof oauthErrors;

/** `error_description` of an `invalid_client` that has one of these causes. */
export const clientProblems = {
  assertion_form: "The client assertion is not a signed JWT. Send the three base64url parts of a JWS.",
  assertion_algorithm: `The client assertion has an unsupported alg. Sign it with ${assertionAlgorithms.join(", ")}.`,
  assertion_client: "iss and sub of the client assertion must both be the client id.",
  assertion_audience:
    "aud of the client assertion must be this token server's issuer or token_endpoint, as its metadata shows them.",
  assertion_time: `exp of the client assertion must be in the future and at most ${LONGEST_ASSERTION_S} seconds ahead. Check your clock.`,
  assertion_id: "The client assertion needs a jti of 1 to 255 characters.",
  assertion_key: "No key of this client verifies the client assertion. Register the public key in the portal.",
  assertion_used: "This client assertion was used before. Sign a new one with a new jti for each request.",
  key_required: "This credential requires a client assertion (private_key_jwt). Its secret only signs webhooks.",
  address: "This credential does not accept requests from your IP address. Add the address to its allow-list.",
} as const;
export type ClientProblem = keyof typeof clientProblems;

/** `error_description` of an error of the token server that has one of these causes. None depends on our data. */
export const formProblems = {
  not_a_form:
    "The body is not a form. Send Content-Type: application/x-www-form-urlencoded, and grant_type and scope in the body.",
  parameter_repeated: "A parameter occurs twice or has a broken escape. Send each parameter once, form-encoded.",
  grant_type_missing: "grant_type is missing. Send grant_type=client_credentials.",
  token_missing: "token is missing. Send the access token as token.",
  two_credentials:
    "The credentials are in two places. Send client_id and client_secret either with HTTP Basic authentication or in the form.",
  two_clients:
    "client_id in the form is another client than the one that authenticates. Omit it, or send the same one.",
  assertion_incomplete: `client_assertion goes with client_assertion_type=${ASSERTION_TYPE} and without a secret. Send exactly these two.`,
  credentials_missing:
    "client_id or client_secret is missing. Send both, with HTTP Basic authentication or in the form.",
  basic_malformed:
    "The Authorization header is not HTTP Basic authentication. Send Basic and the base64 of client_id:client_secret.",
  scope_missing: "scope is missing. Send the scopes that you need, such as scope=partners.",
  scope_not_granted:
    "The credential does not have this scope. Request only scopes of the credential, such as scope=partners.",
  scope_unwanted: "This credential has no scopes. Omit scope.",
} as const;
export type FormProblem = keyof typeof formProblems;

/** Rejections of an access token, RFC 6750 section 3.1. A missing scope is 401 here too: spec, Authentication 8. */
export const bearerErrors = {
  invalid_token: [
    401,
    "The access token is missing, unknown, expired or revoked. Get a new one with POST /oauth/token and send it as Authorization: Bearer TOKEN.",
  ],
  insufficient_scope: [
    401,
    "The access token does not have the scope that this API requires. Request a token with scope=partners for the partner API, or scope=intake for e-prescriptions.",
  ],
  address_not_allowed: [
    401,
    "The credential of this access token does not accept requests from your IP address. Add the address to its allow-list.",
  ],
} as const satisfies Record<string, readonly [status: number, error_description: string]>;
export type BearerError = keyof typeof bearerErrors;

const oauthErrorNames = Object.keys(oauthErrors) as [OauthError, ...OauthError[]];
const bearerErrorNames = Object.keys(bearerErrors) as [BearerError, ...BearerError[]];

export const OauthErrorBody = named(
  "OauthError",
  object({ error: oneOf(oauthErrorNames), error_description: string(), doc_url, request_id }),
);
export type OauthErrorBody = Static<typeof OauthErrorBody>;

export const BearerErrorBody = named(
  "BearerError",
  object({ error: oneOf(bearerErrorNames), error_description: string(), doc_url, request_id }),
);
export type BearerErrorBody = Static<typeof BearerErrorBody>;

const client = {
  client_id: string("Omit it if you send the credentials with HTTP Basic authentication."),
  client_secret: string("Omit it if you send the credentials with HTTP Basic authentication."),
  client_assertion_type: string({ description: "With `client_assertion`, and only this.", examples: [ASSERTION_TYPE] }),
  client_assertion: string(
    "Instead of a secret: a JWT that a key of the credential signed (RFC 7523, `private_key_jwt`). iss and sub are the client id, aud is the issuer or the token endpoint, exp is at most 5 minutes ahead, and each jti works once.",
  ),
};
const clientFields = ["client_id", "client_secret", "client_assertion_type", "client_assertion"] as const;

export const TokenRequest = named(
  "TokenRequest",
  object(
    {
      grant_type: oneOf(grantTypes),
      scope: string({
        description: "Space-separated. Required if the credential has scopes, rejected if it has none.",
        examples: ["partners"],
      }),
      ...client,
    },
    { optional: ["scope", ...clientFields] },
  ),
);
export type TokenRequest = Static<typeof TokenRequest>;

export const TokenResponse = named(
  "TokenResponse",
  object(
    {
      access_token: string("Opaque."),
      token_type: oneOf(["Bearer"]),
      expires_in: integer({ description: "Lifetime in seconds.", examples: [TOKEN_LIFETIME_S] }),
      scope: string("The granted scopes, space-separated. Absent if the credential has none."),
      created_at: integer("Unix time in seconds."),
    },
    { optional: ["scope"] },
  ),
);
export type TokenResponse = Static<typeof TokenResponse>;

/** The form for token revocation (RFC 7009) and introspection (RFC 7662). */
export const TokenToExamine = named(
  "TokenToExamine",
  object(
    { token: string("An access token."), token_type_hint: string("Accepted and ignored."), ...client },
    { optional: ["token_type_hint", ...clientFields] },
  ),
);
export type TokenToExamine = Static<typeof TokenToExamine>;

/** RFC 7662. An inactive token returns only `active`, for any reason. */
export const Introspection = named(
  "Introspection",
  object(
    {
      active: boolean("False if the token is unknown, expired, revoked or belongs to another account."),
      scope: string("Absent if the token has none."),
      client_id: string(),
      token_type: oneOf(["Bearer"]),
      exp: integer("Unix time in seconds."),
      iat: integer("Unix time in seconds."),
      account_id: string("The account the token acts for."),
      environment: oneOf(environments),
    },
    { optional: ["scope", "client_id", "token_type", "exp", "iat", "account_id", "environment"] },
  ),
);
export type Introspection = Static<typeof Introspection>;

/** RFC 8414. */
export const ServerMetadata = named(
  "ServerMetadata",
  object({
    issuer: string({ format: "uri" }),
    token_endpoint: string({ format: "uri" }),
    revocation_endpoint: string({ format: "uri" }),
    introspection_endpoint: string({ format: "uri" }),
    grant_types_supported: array(oneOf(grantTypes)),
    response_types_supported: array(string(), "Empty: there is no authorization endpoint."),
    scopes_supported: array(oneOf(scopeNames)),
    token_endpoint_auth_methods_supported: array(oneOf(clientAuthMethods)),
    token_endpoint_auth_signing_alg_values_supported: array(oneOf(assertionAlgorithms)),
    revocation_endpoint_auth_methods_supported: array(oneOf(clientAuthMethods)),
    revocation_endpoint_auth_signing_alg_values_supported: array(oneOf(assertionAlgorithms)),
    introspection_endpoint_auth_methods_supported: array(oneOf(clientAuthMethods)),
    introspection_endpoint_auth_signing_alg_values_supported: array(oneOf(assertionAlgorithms)),
  }),
);
export type ServerMetadata = Static<typeof ServerMetadata>;

/** The metadata document of the token server at this URL. */
export const serverMetadata = (issuer: string): ServerMetadata => ({
  issuer,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  introspection_endpoint: `${issuer}/oauth/introspect`,
  grant_types_supported: [...grantTypes],
  response_types_supported: [],
  scopes_supported: [...scopeNames],
  token_endpoint_auth_methods_supported: [...clientAuthMethods],
  token_endpoint_auth_signing_alg_values_supported: [...assertionAlgorithms],
  revocation_endpoint_auth_methods_supported: [...clientAuthMethods],
  revocation_endpoint_auth_signing_alg_values_supported: [...assertionAlgorithms],
  introspection_endpoint_auth_methods_supported: [...clientAuthMethods],
  introspection_endpoint_auth_signing_alg_values_supported: [...assertionAlgorithms],
});
