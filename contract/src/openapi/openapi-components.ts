import { BearerErrorBody, bearerErrors, OauthErrorBody, oauthErrors } from "../endpoints/oauth.ts";
import { ConflictBody, StatusErrorBody } from "../error-bodies.ts";
import { errorDocUrl, type StatusErrorCode, statuses, statusMessages } from "../errors.ts";
import type { Schema } from "../schema.ts";

type Json = { [key: string]: unknown };

/** Parts of the OpenAPI document that many operations share. */
export const content = (schema: Schema, given: { content_type?: string; example?: unknown; examples?: unknown }) => {
  const { content_type = "application/json", example, examples } = given;
  const shown = examples !== undefined ? { examples } : example !== undefined ? { example } : {};
  return { [content_type]: { schema, ...shown } };
};

export const responseRef = (name: keyof ReturnType<typeof sharedResponses>) => ({
  $ref: `#/components/responses/${name}`,
});
export const headerRefs = (...names: (keyof typeof sharedHeaders)[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

export const sharedHeaders = {
  "X-Request-Id": {
    description: "Identifies this request. Quote it when you ask about it.",
    schema: { type: "string", format: "uuid" },
  },
  ETag: { description: "A weak ETag of the body.", schema: { type: "string", pattern: '^W/"[0-9a-f]{32}"$' } },
  "Cache-Control": { description: "How long you can cache the response.", schema: { type: "string" } },
  RateLimit: { description: "The remaining rate limit (IETF draft format).", schema: { type: "string" } },
  "RateLimit-Policy": { description: "The rate limit (IETF draft format).", schema: { type: "string" } },
  Quota: {
    description: "The remaining quotas that the request adds to. Absent if it stores nothing, as a dry run.",
    schema: { type: "string" },
    example: '"orders";r=499812, "stored_bytes";r=5216340112',
  },
  "Quota-Policy": {
    description: "The quotas that the request adds to. Absent if it stores nothing, as a dry run.",
    schema: { type: "string" },
    example: '"orders";q=500000, "stored_bytes";q=5368709120',
  },
  "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } },
  Link: { description: "The URL of the next page, if there is one.", schema: { type: "string" } },
  "Idempotent-Replayed": {
    description: "`true` on a response that was stored for the Idempotency-Key.",
    schema: { type: "string", enum: ["true"] },
  },
  "Preference-Applied": {
    description: "`return=minimal` on a response without a body that you asked for with `Prefer`.",
    schema: { type: "string", enum: ["return=minimal"] },
  },
  Allow: { description: "The methods of this path.", schema: { type: "string" }, example: "GET, HEAD" },
  "WWW-Authenticate": { description: "How to authenticate.", schema: { type: "string" } },
} as const;

/** The token servers send no rate limit headers until the limit is reached. */
export const tokenHeaders = headerRefs("X-Request-Id", "ETag", "Cache-Control");
export const partnerHeaders = { ...tokenHeaders, ...headerRefs("RateLimit", "RateLimit-Policy") };

const failure = (status: keyof typeof statuses, headers: Json, schema: Schema, example: object) => ({
  description: statuses[status],
  headers,
  content: content(schema, { example: { ...example, request_id: REQUEST_ID } }),
});

export const REQUEST_ID = "5f1c2b8e-3a47-4d0b-9c6e-7d2f8a1b4c3d";

/** A rejection before authentication cannot include the credential's remaining rate limit. */
export const sharedResponses = (base_url: string) => {
  const statusError = (status: StatusErrorCode) => ({
    error: { error_code: status, message: statusMessages[status], doc_url: errorDocUrl(base_url, status) },
  });
  const statusFailure = (status: Exclude<StatusErrorCode, 409>, headers: Json) =>
    failure(status, headers, StatusErrorBody, statusError(status));
  const named = (error: string, error_description: string) => ({
    error,
    error_description,
    doc_url: errorDocUrl(base_url, error),
  });
  const oauthFailure = (status: 400 | 401 | 429, headers: Json, error: keyof typeof oauthErrors) =>
    failure(status, headers, OauthErrorBody, named(error, oauthErrors[error][1]));
  const challenge = { ...tokenHeaders, ...headerRefs("WWW-Authenticate") };
  return {
    NotModified: { description: statuses[304], headers: tokenHeaders },
    Unauthorized: failure(401, challenge, BearerErrorBody, named("invalid_token", bearerErrors.invalid_token[1])),
    NotFound: statusFailure(404, partnerHeaders),
    MethodNotAllowed: statusFailure(405, { ...tokenHeaders, ...headerRefs("Allow") }),
    NotAcceptable: statusFailure(406, tokenHeaders),
    Conflict: failure(409, partnerHeaders, ConflictBody, statusError(409)),
    TooManyRequests: statusFailure(429, { ...partnerHeaders, ...headerRefs("Retry-After") }),
    ServerError: statusFailure(500, tokenHeaders),
    ServiceUnavailable: statusFailure(503, { ...tokenHeaders, ...headerRefs("Retry-After") }),
    OauthBadRequest: oauthFailure(400, tokenHeaders, "invalid_request"),
    OauthUnauthorized: oauthFailure(401, challenge, "invalid_client"),
    OauthTooManyRequests: oauthFailure(429, { ...tokenHeaders, ...headerRefs("Retry-After") }, "too_many_requests"),
  };
};
