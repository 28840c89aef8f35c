import { quotaDraws } from "../accounts/quota-draws.ts";
import { answersMinimal, type Endpoint, tags } from "../endpoints/endpoint.ts";
import { endpoints } from "../endpoints/endpoints.ts";
import { scopes } from "../endpoints/oauth.ts";
import { ErrorCodeSchema, ErrorsBody } from "../error-bodies.ts";
import {
  type ErrorCode,
  errorCodes,
  errorDocUrl,
  errors,
  reasonCodes,
  statuses,
  statusOf,
  usualProblems,
} from "../errors.ts";
import type { JsonSchema } from "../schema.ts";
import { fieldMeanings, recordMeanings } from "./glossary.ts";
import {
  content,
  headerRefs,
  partnerHeaders,
  REQUEST_ID,
  responseRef,
  sharedHeaders,
  sharedResponses,
  tokenHeaders,
} from "./openapi-components.ts";
import { headerParameters, pathParameters } from "./openapi-parameters.ts";
import { openapiWebhooks } from "./openapi-webhooks.ts";

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
  const found = new Map<string, JsonSchema>();
  const body = {
    paths: withReferences(paths, found),
    webhooks: withReferences(openapiWebhooks(options.operator_name), found),
    responses: withReferences(sharedResponses(options.base_url), found),
  };
  return {
    openapi: "3.1.0",
    info: {
      title: `${options.operator_name} partner API`,
      version: options.version,
      summary: "Pharmacy as a service",
      description: introduction,
      contact: { name: "The pharmacy that runs this service", url: options.base_url },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    externalDocs: { description: "Guides and catalogues", url: `${options.base_url}/docs` },
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
      parameters: { ...pathParameters, ...headerParameters },
      examples: Object.fromEntries(
        errorCodes
          .filter((code) => !reasonCodes.includes(code))
          .map((code) => [code, errorExample(code, options.base_url)]),
      ),
      headers: sharedHeaders,
      securitySchemes: securitySchemes(options),
    },
  };
};

/** Rules that apply to every operation, in Markdown. */
const introduction = [
  "Prescriptions and orders for partners of a pharmacy.",
  "**Authentication.** Get an access token from the token server with your `client_id` and `client_secret` (`POST /oauth/token`, scope `partners`) and send it as `Authorization: Bearer …` with every request. It lasts 12 hours. Sandbox and production have separate token servers and credentials. The token determines the environment of a request.",
  "**Requests.** Send `Accept: application/json`, and bodies as `Content-Type: application/json` in UTF-8, at most 1 MiB. The API rejects unknown fields and query parameters. An optional field can be null, which means that you omit it. `Prefer: return=minimal` on a PATCH or PUT returns 204 without a body. Every path works with and without `/v1`.",
  "**Errors.** 400 and 422 list all problems at once, each with a `code` from the catalogue, the field, the problem and the resolution. `did_you_mean` has the name or value of the API that resembles yours, and `doc_url` explains the error. Each operation lists the codes it can return. Every error has a `request_id`, which is also in `X-Request-Id`: quote it when you ask about a response.",
  "**Retries.** Every POST takes an `Idempotency-Key`: for 24 hours a repeated request gets the first successful response, and nothing is done twice. After 409, look the order up with `GET /orders` first. After 429 and 503, wait for `Retry-After` seconds.",
  "**Quotas.** An account stores a limited number of records and bytes. A request that adds to a quota has the headers `Quota` and `Quota-Policy`. Beyond a quota it gets 429 with the name in `error.quota`, and nothing is stored. You can still read everything, and repeat a request that succeeded with the same `Idempotency-Key`.",
  "**Reading.** Every response has an `ETag`. Send it as `If-None-Match` and get 304 while nothing has changed. Long lists are paginated: continue with `cursor` while `next_cursor` is not null.",
  "**Times, dates and money.** Times are ISO 8601 in UTC, dates are in the pharmacy's time zone, money is in cents.",
].join("\n\n");

/** A path can have its own servers: the token servers have other hosts than the partner API. */
const tokenServers = ({ auth_url, sandbox_auth_url }: OpenapiOptions) => [
  { url: auth_url, description: "Production" },
  { url: sandbox_auth_url, description: "Sandbox" },
];

/** OpenAPI allows one token URL per flow, so each environment is a scheme. An operation accepts either. */
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

/** For `client`, the empty alternative means credentials in the form. */
const security = {
  "bearer:partners": [{ production: ["partners"] }, { sandbox: ["partners"] }],
  "bearer:intake": [{ production: ["intake"] }, { sandbox: ["intake"] }],
  client: [{ client: [] }, {}],
  none: [{}],
} as const satisfies Record<Endpoint["auth"], readonly Json[]>;

const operation = (endpoint: Endpoint): Json => {
  const shared = [
    ...[...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    ...(endpoint.method === "GET" ? ["IfNoneMatch"] : []),
    ...(endpoint.idempotent ? ["IdempotencyKey"] : []),
    ...(answersMinimal(endpoint) ? ["Prefer"] : []),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }));
  const query = Object.entries(endpoint.query ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    description: description ?? fieldMeanings[name],
    style: "form",
    explode: true,
    schema,
  }));
  const parameters = [...shared, ...query];
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

const drawsQuota = ({ operation_id }: Endpoint) =>
  operation_id === "simulate" || Object.hasOwn(quotaDraws, operation_id);

const successes = (endpoint: Endpoint): Json => {
  const headers = {
    ...(endpoint.server === "token" ? tokenHeaders : partnerHeaders),
    ...(endpoint.query?.["cursor"] && headerRefs("Link")),
    ...(endpoint.idempotent && headerRefs("Idempotent-Replayed")),
    ...(drawsQuota(endpoint) && headerRefs("Quota", "Quota-Policy")),
  };
  const answers = Object.entries(endpoint.responses).map(([status, { description, schema, ...shown }]) => [
    status,
    { description, headers, ...(schema && { content: content(schema, shown) }) },
  ]);
  return {
    ...Object.fromEntries(answers),
    ...(answersMinimal(endpoint) && {
      204: { description: statuses[204], headers: { ...headers, ...headerRefs("Preference-Applied") } },
    }),
    ...(endpoint.method === "GET" && { 304: responseRef("NotModified") }),
  };
};

/** The numbered errors, with machine-readable codes. Any request can get the errors for HTTPS and Host. */
const numberedFailures = (endpoint: Endpoint): Json => {
  const all = [...new Set([40005, 40010, ...endpoint.codes] as const)].sort((a, b) => a - b);
  const answers = ([400, 422] as const).flatMap((status) => {
    const codes = all.filter((code) => statusOf(code) === status);
    if (codes.length === 0) return [];
    const description = `${statuses[status]} Codes: ${codes.join(", ")}.`;
    const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
    const headers = endpoint.server === "token" ? tokenHeaders : partnerHeaders;
    return [[status, { description, headers, "x-error-codes": codes, content: content(ErrorsBody, { examples }) }]];
  });
  return Object.fromEntries(answers);
};

const partnerFailures = (endpoint: Endpoint): Json => ({
  ...numberedFailures(endpoint),
  401: responseRef("Unauthorized"),
  ...(endpoint.may_be_missing && { 404: responseRef("NotFound") }),
  405: responseRef("MethodNotAllowed"),
  ...(endpoint.server === "partner" && { 406: responseRef("NotAcceptable") }),
  ...(endpoint.idempotent && { 409: responseRef("Conflict") }),
  429: responseRef("TooManyRequests"),
  500: responseRef("ServerError"),
  503: responseRef("ServiceUnavailable"),
});

/** RFC 6749 errors have their own format, without numbers. */
const tokenFailures = (endpoint: Endpoint): Json => ({
  ...(endpoint.auth === "client"
    ? {
        400: responseRef("OauthBadRequest"),
        401: responseRef("OauthUnauthorized"),
        429: responseRef("OauthTooManyRequests"),
      }
    : numberedFailures(endpoint)),
  405: responseRef("MethodNotAllowed"),
  500: responseRef("ServerError"),
  503: responseRef("ServiceUnavailable"),
});

/** Shows a list index as 0. */
const errorExample = (code: ErrorCode, base_url: string) => {
  const [message, field, resolution] = errors[code];
  const problem = usualProblems[code];
  const error_detail = [
    { field: field.replaceAll("[]", "[0]"), message: resolution, ...(problem !== undefined && { problem }) },
  ];
  const doc_url = errorDocUrl(base_url, code);
  return { summary: message, value: { errors: [{ code, message, error_detail, doc_url }], request_id: REQUEST_ID } };
};

/** The error catalogue is attached to the schema of the code, for code generators. */
const errorCatalogue = errorCodes.map((code) => {
  const [message, field, resolution] = errors[code];
  return { code, status: statusOf(code), message, field, resolution };
});

/** Copies a value. Replaces each named schema with a reference and adds it to `found`. */
const withReferences = (value: unknown, found: Map<string, JsonSchema>, record = ""): unknown => {
  if (Array.isArray(value)) return value.map((entry) => withReferences(entry, found, record));
  if (typeof value !== "object" || value === null) return value;
  const { $id, ...rest } = value as Json;
  if (typeof $id !== "string") {
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [
        key,
        key === "properties" ? propertiesOf(value as Json, found, record) : withReferences(entry, found, record),
      ]),
    );
  }
  if (!found.has($id)) {
    const schema = withReferences({ description: recordMeanings[$id], ...rest }, found, $id) as JsonSchema;
    found.set($id, $id === ErrorCodeSchema.$id ? { ...schema, "x-error-codes": errorCatalogue } : schema);
  }
  return { $ref: `#/components/schemas/${$id}` };
};

/** A field without a description gets the glossary's sentence for its name. */
const propertiesOf = (schema: Json, found: Map<string, JsonSchema>, record: string): Json => {
  const {
    properties,
    required = [],
    additionalProperties,
  } = schema as {
    properties: Json;
    required?: readonly string[];
    additionalProperties?: boolean;
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const own = withReferences(field, found, record) as Json;
      const description = fieldMeanings[`${record}.${name}`] ?? fieldMeanings[name];
      const described = "$ref" in own || description === undefined ? own : { description, ...own };
      const may_be_null = additionalProperties === false && !required.includes(name);
      return [name, may_be_null ? orNull(withDefaultInWords(described)) : described];
    }),
  );
};

/** Generators read `default` on a field of a request as always present, and so make the field required. */
const withDefaultInWords = ({ default: value, ...schema }: Json): Json => {
  if (value === undefined) return schema;
  const { description, ...rest } = schema;
  const told = `Default: \`${JSON.stringify(value)}\`.`;
  return { description: description === undefined ? told : `${description} ${told}`, ...rest };
};

/** An optional field of a request can be null, which means absent. */
const orNull = ({ description, ...schema }: Json): Json => {
  const told = description === undefined ? {} : { description };
  if (typeof schema["type"] !== "string") {
    return Array.isArray(schema["type"]) || "anyOf" in schema
      ? { ...told, ...schema }
      : { ...told, anyOf: [schema, { type: "null" }] };
  }
  const values = schema["enum"] as unknown[] | undefined;
  return { ...told, ...schema, type: [schema["type"], "null"], ...(values && { enum: [...values, null] }) };
};
