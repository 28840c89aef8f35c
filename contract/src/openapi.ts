import { type Endpoint, tags } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { ErrorCodeSchema, ErrorsBody } from "./error-bodies.ts";
import { type ErrorCode, errorCodes, errors, statuses, statusOf } from "./errors.ts";
import { scopes } from "./oauth.ts";
import {
  content,
  partnerHeaders,
  responseRef,
  sharedHeaders,
  sharedParameters,
  sharedResponses,
  tokenHeaders,
} from "./openapi-components.ts";
import type { JsonSchema } from "./schema.ts";
import { webhookBodies } from "./webhook-bodies.ts";
import { type EventType, eventTypeNames, eventTypes, standardWebhookHeaders, webhookHeaders } from "./webhooks.ts";

export type OpenapiOptions = {
  readonly version: string;
  readonly base_url: string;
  readonly auth_url: string;
  readonly sandbox_auth_url: string;
  readonly operator_name: string;
};

type Json = { [key: string]: unknown };

/** The OpenAPI 3.1 description of everything in `endpoints` and `eventTypes`. */
export const openapi = (options: OpenapiOptions) => {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints as readonly Endpoint[]) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      ...(endpoint.server === "token" && { servers: tokenServers(options) }),
      [endpoint.method.toLowerCase()]: operation(endpoint),
    };
  }
  const webhooks = Object.fromEntries(eventTypeNames.map((name) => [name, { post: webhook(name, options) }]));
  const found = new Map<string, JsonSchema>();
  const body = {
    paths: withReferences(paths, found),
    webhooks: withReferences(webhooks, found),
    responses: withReferences(sharedResponses, found),
  };
  return {
    openapi: "3.1.0",
    info: {
      title: `${options.operator_name} partner API`,
      version: options.version,
      summary: "Pharmacy as a service",
      description:
        "Prescriptions and orders for partners of a pharmacy. Every request carries an access token from the token server and `Accept: application/json`.",
      contact: { name: "The pharmacy that runs this service", url: options.base_url },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      { url: options.base_url, description: "Partner API" },
      { url: `${options.base_url}/v1`, description: "The same, with the version in the path" },
    ],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: body.paths,
    webhooks: body.webhooks,
    components: {
      schemas: Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: body.responses,
      parameters: sharedParameters,
      headers: sharedHeaders,
      securitySchemes: securitySchemes(options),
    },
  };
};

/** A path may name servers of its own: the token servers are other hosts than the partner API. */
const tokenServers = ({ auth_url, sandbox_auth_url }: OpenapiOptions) => [
  { url: auth_url, description: "Production" },
  { url: sandbox_auth_url, description: "Sandbox" },
];

/** OpenAPI gives a flow one token address, so each environment is a scheme; an operation takes either. */
const securitySchemes = ({ auth_url, sandbox_auth_url }: OpenapiOptions) => {
  const oauth2 = (url: string, description: string) => ({
    type: "oauth2",
    description,
    flows: { clientCredentials: { tokenUrl: `${url}/oauth/token`, scopes } },
  });
  return {
    production: oauth2(auth_url, "Tokens of production credentials."),
    sandbox: oauth2(sandbox_auth_url, "Tokens of sandbox credentials."),
    client: { type: "http", scheme: "basic", description: "`client_id` and `client_secret`, each form-encoded." },
  };
};

/** For `client` the empty alternative stands for credentials in the form. */
const security = {
  "bearer:partners": [{ production: ["partners"] }, { sandbox: ["partners"] }],
  "bearer:intake": [{ production: ["intake"] }, { sandbox: ["intake"] }],
  client: [{ client: [] }, {}],
  none: [{}],
} as const satisfies Record<Endpoint["auth"], readonly Json[]>;

const operation = (endpoint: Endpoint): Json => {
  const shared = [
    ...(endpoint.method === "GET" ? ["IfNoneMatch"] : []),
    ...(endpoint.idempotent ? ["IdempotencyKey"] : []),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const path = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const query = Object.entries(endpoint.query ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    description,
    style: "form",
    explode: true,
    schema,
  }));
  const parameters = [...path, ...query, ...shared];
  return {
    operationId: endpoint.operation_id,
    summary: endpoint.summary,
    description: endpoint.description,
    tags: endpoint.tags,
    security: security[endpoint.auth],
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: { required: !endpoint.body_optional, content: content(endpoint.body.schema, endpoint.body) },
    }),
    responses: {
      ...successes(endpoint),
      ...(endpoint.server === "token" ? tokenFailures(endpoint) : partnerFailures(endpoint)),
    },
  };
};

const successes = (endpoint: Endpoint): Json => {
  const headers = endpoint.server === "token" ? tokenHeaders : partnerHeaders;
  const answers = Object.entries(endpoint.responses).map(([status, { description, schema, ...shown }]) => [
    status,
    { description, headers, ...(schema && { content: content(schema, shown) }) },
  ]);
  return { ...Object.fromEntries(answers), ...(endpoint.method === "GET" && { 304: responseRef("NotModified") }) };
};

/** The numbered errors, with the codes where a machine can find them. Any request can miss HTTPS. */
const numberedFailures = (endpoint: Endpoint): Json => {
  const all = [40010 as const, ...endpoint.codes].sort((a, b) => a - b);
  const answers = ([400, 422] as const).flatMap((status) => {
    const codes = all.filter((code) => statusOf(code) === status);
    const [first] = codes;
    if (first === undefined) return [];
    const description = `${statuses[status]} Codes: ${codes.join(", ")}.`;
    const example = { errors: [errorExample(first)] };
    return [[status, { description, "x-error-codes": codes, content: content(ErrorsBody, { example }) }]];
  });
  return Object.fromEntries(answers);
};

const partnerFailures = (endpoint: Endpoint): Json => ({
  ...numberedFailures(endpoint),
  401: responseRef("Unauthorized"),
  ...(endpoint.may_be_missing && { 404: responseRef("NotFound") }),
  ...(endpoint.server === "partner" && { 406: responseRef("NotAcceptable") }),
  ...(endpoint.idempotent && { 409: responseRef("Conflict") }),
  429: responseRef("TooManyRequests"),
  500: responseRef("ServerError"),
  503: responseRef("ServiceUnavailable"),
});

/** RFC 6749 has its own form of errors, without numbers. */
const tokenFailures = (endpoint: Endpoint): Json => ({
  ...(endpoint.auth === "client"
    ? {
        400: responseRef("OauthBadRequest"),
        401: responseRef("OauthUnauthorized"),
        429: responseRef("OauthTooManyRequests"),
      }
    : numberedFailures(endpoint)),
  500: responseRef("ServerError"),
  503: responseRef("ServiceUnavailable"),
});

const errorExample = (code: ErrorCode) => {
  const [message, field, resolution] = errors[code];
  return { code, message, error_detail: [{ field, message: resolution }] };
};

const webhook = (name: EventType, { operator_name }: OpenapiOptions): Json => {
  const { signature, secret } = webhookHeaders(operator_name);
  const headers = [signature, secret, ...Object.values(standardWebhookHeaders)];
  return {
    operationId: `on${name.toLowerCase().replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: name,
    description: `${eventTypes[name].sent_when}${eventTypes[name].opt_in ? " Sent only to endpoints that ask for it." : ""}`,
    tags: ["Webhooks"],
    security: [{}],
    parameters: headers.map((header) => ({ name: header, in: "header", required: true, schema: { type: "string" } })),
    requestBody: { required: true, content: { "application/json": { schema: webhookBodies[name] } } },
    responses: {
      "2XX": { description: "Received. Anything else is tried again." },
      410: { description: "Gone. The endpoint is disabled." },
    },
  };
};

/** The catalogue rides on the schema of the code, for whoever generates code from the document. */
const errorCatalogue = errorCodes.map((code) => {
  const [message, field, resolution] = errors[code];
  return { code, status: statusOf(code), message, field, resolution };
});

/** Copies a value; each named schema in it becomes a reference, and is added to those found. */
const withReferences = (value: unknown, found: Map<string, JsonSchema>): unknown => {
  if (Array.isArray(value)) return value.map((entry) => withReferences(entry, found));
  if (typeof value !== "object" || value === null) return value;
  const { $id, ...rest } = value as Json;
  if (typeof $id !== "string") {
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withReferences(entry, found)]));
  }
  if (!found.has($id)) {
    const schema = withReferences(rest, found) as JsonSchema;
    found.set($id, $id === ErrorCodeSchema.$id ? { ...schema, "x-error-codes": errorCatalogue } : schema);
  }
  return { $ref: `#/components/schemas/${$id}` };
};
