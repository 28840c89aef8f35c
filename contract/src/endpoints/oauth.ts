import { array, boolean, integer, named, object, oneOf, type Static, string } from "../schema.ts";

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

export const TOKEN_LIFETIME_S = 43_200;

/** How a client can authenticate, with the names from RFC 8414. */
export const clientAuthMethods = ["client_secret_basic", "client_secret_post"] as const;

/** Errors of the token server, RFC 6749 section 5.2: `error: [status, error_description]`. */
export const oauthErrors = {
  invalid_request: [
    400,
    "The request lacks a parameter, repeats one, sends credentials in two places, or is not form-encoded.",
  ],
  invalid_client: [401, "The client is unknown or its secret is wrong."],
  unsupported_grant_type: [400, "The grant type must be client_credentials."],
  invalid_scope: [400, "The scope is missing, or the credentials do not have it."],
  too_many_requests: [429, "Too many requests. Wait for the time in Retry-After, then send it again."],
} as const satisfies Record<string, readonly [status: number, error_description: string]>;
export type OauthError = keyof typeof oauthErrors;

/** Rejections of an access token, RFC 6750 section 3.1. A missing scope is 401 here too: spec, Authentication 8. */
export const bearerErrors = {
  invalid_token: [401, "The access token is missing, unknown, expired or revoked."],
  insufficient_scope: [401, "The access token does not have the scope that this API requires."],
} as const satisfies Record<string, readonly [status: number, error_description: string]>;
export type BearerError = keyof typeof bearerErrors;

const oauthErrorNames = Object.keys(oauthErrors) as [OauthError, ...OauthError[]];
const bearerErrorNames = Object.keys(bearerErrors) as [BearerError, ...BearerError[]];

export const OauthErrorBody = named(
  "OauthError",
  object({ error: oneOf(oauthErrorNames), error_description: string() }),
);
export type OauthErrorBody = Static<typeof OauthErrorBody>;

export const BearerErrorBody = named(
  "BearerError",
  object({ error: oneOf(bearerErrorNames), error_description: string() }),
);
export type BearerErrorBody = Static<typeof BearerErrorBody>;

const client = {
  client_id: string("Omit it if you send the credentials with HTTP Basic authentication."),
  client_secret: string("Omit it if you send the credentials with HTTP Basic authentication."),
};

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
    { optional: ["scope", "client_id", "client_secret"] },
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
    { optional: ["token_type_hint", "client_id", "client_secret"] },
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
    revocation_endpoint_auth_methods_supported: array(oneOf(clientAuthMethods)),
    introspection_endpoint_auth_methods_supported: array(oneOf(clientAuthMethods)),
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
  revocation_endpoint_auth_methods_supported: [...clientAuthMethods],
  introspection_endpoint_auth_methods_supported: [...clientAuthMethods],
});
