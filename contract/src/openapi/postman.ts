import { type Endpoint, type Tag, tags } from "../endpoints/endpoint.ts";
import { endpoints } from "../endpoints/endpoints.ts";
import type { OpenapiOptions } from "./openapi.ts";
import { pathParameters } from "./openapi-parameters.ts";

/** What later requests need from an answer: variable by variable, the member of the answer. */
const kept: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  issueToken: { token: "access_token" },
  simulate: { patient_id: "patient_id", prescription_id: "prescription_id" },
  createOrder: { order_number: "order_number" },
  createWebhookEndpoint: { id: "id" },
  createRefillSchedule: { schedule_id: "schedule_id" },
  createRenewalRequest: { renewal_request_id: "renewal_request_id" },
};

/** Bodies that use what earlier requests kept, instead of the examples of the reference. */
const bodies: Readonly<Record<string, string>> = {
  simulate:
    '{\n  "simulation_type": "prescription",\n  "simulation": { "drug_name": "atorvastatin", "refills_left": 3 }\n}',
  createOrder:
    '{\n  "shipping": { "method_id": 1 },\n  "patient": { "patient_id": "{{patient_id}}" },\n  "items": [{ "prescription_id": {{prescription_id}} }]\n}',
};

/** Tokens come first, then prescriptions, then orders: so a run from top to bottom works. */
const FIRST: readonly Tag[] = ["Tokens", "Sandbox", "Orders"];
const FIRST_OPERATIONS = ["issueToken", "createOrder"];

/** Every operation as a Postman collection (v2.1), which Bruno, Insomnia and Hoppscotch import too. */
export const postman = ({ version, base_url, sandbox_auth_url, operator_name }: OpenapiOptions) => ({
  info: {
    name: `${operator_name} partner API ${version}`,
    description:
      "Enter client_id and client_secret of a sandbox credential as variables of the collection. Then send, in this order: Tokens / issue a token, Sandbox / simulate, Orders / create an order. Each keeps what the next one needs. For production, change auth_url to the production token server.",
    schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
  },
  auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
  variable: Object.entries({
    base_url: `${base_url}/v1`,
    auth_url: sandbox_auth_url,
    client_id: "",
    client_secret: "",
    token: "",
    ...Object.fromEntries(Object.values(kept).flatMap((members) => Object.keys(members).map((name) => [name, ""]))),
  }).map(([key, value]) => ({ key, value, type: "string" })),
  item: [...new Set([...FIRST, ...(Object.keys(tags) as Tag[])])].map((tag) => ({
    name: tag,
    description: tags[tag],
    item: (endpoints as readonly Endpoint[])
      .filter((endpoint) => endpoint.tags[0] === tag)
      .sort((one, other) => turn(one) - turn(other))
      .map(itemOf),
  })),
});

const turn = ({ operation_id }: Endpoint) => (FIRST_OPERATIONS.includes(operation_id) ? 0 : 1);

function itemOf(endpoint: Endpoint) {
  const members = kept[endpoint.operation_id];
  return {
    name: endpoint.summary,
    request: {
      method: endpoint.method,
      description: endpoint.description,
      ...authOf(endpoint),
      header: headersOf(endpoint),
      url: urlOf(endpoint),
      ...bodyOf(endpoint),
    },
    response: [],
    ...(members && { event: [{ listen: "test", script: { type: "text/javascript", exec: keep(members) } }] }),
  };
}

const keep = (members: Readonly<Record<string, string>>) => [
  "const answer = pm.response.code < 300 ? pm.response.json() : {};",
  ...Object.entries(members).map(
    ([name, member]) => `if (answer.${member}) pm.collectionVariables.set("${name}", String(answer.${member}));`,
  ),
];

const authOf = ({ auth }: Endpoint) => {
  if (auth === "none") return { auth: { type: "noauth" } };
  if (auth !== "client") return {};
  const basic = { username: "{{client_id}}", password: "{{client_secret}}" };
  return {
    auth: { type: "basic", basic: Object.entries(basic).map(([key, value]) => ({ key, value, type: "string" })) },
  };
};

const headersOf = ({ server, body, idempotent }: Endpoint) => [
  ...(server === "partner" ? [{ key: "Accept", value: "application/json" }] : []),
  ...(body ? [{ key: "Content-Type", value: body.content_type }] : []),
  ...(idempotent ? [{ key: "Idempotency-Key", value: "{{$guid}}" }] : []),
];

function urlOf({ path, query = {}, server }: Endpoint) {
  const host = server === "token" ? "{{auth_url}}" : "{{base_url}}";
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const parts = path.slice(1).replace(/\{(\w+)\}/g, ":$1");
  return {
    raw: `${host}/${parts}`,
    host: [host],
    path: parts.split("/"),
    ...(names.length > 0 && { variable: names.map((key) => ({ key, value: sampleOf(key) })) }),
    ...(Object.keys(query).length > 0 && {
      query: Object.entries(query).map(([key, { description }]) => ({
        key,
        value: "",
        disabled: true,
        ...(description !== undefined && { description }),
      })),
    }),
  };
}

const isKept = (name: string) => Object.values(kept).some((members) => name in members);

function sampleOf(name: string): string {
  if (isKept(name)) return `{{${name}}}`;
  const { schema } = pathParameters[name as keyof typeof pathParameters] as {
    schema: { examples?: readonly unknown[] };
  };
  return String(schema.examples?.[0] ?? "");
}

function bodyOf({ operation_id, body }: Endpoint) {
  if (body === undefined) return {};
  const { content_type, example } = body;
  const own = bodies[operation_id];
  if (content_type === "application/x-www-form-urlencoded") {
    // The client authenticates in the header, so not in the form.
    const fields = Object.entries(example as Record<string, string>).filter(([key]) => !key.startsWith("client_"));
    const urlencoded = fields.map(([key, value]) => ({ key, value: key === "token" ? "{{token}}" : value }));
    return { body: { mode: "urlencoded", urlencoded } };
  }
  const raw = own ?? (typeof example === "string" ? example : JSON.stringify(example, null, 2));
  return { body: { mode: "raw", raw, options: { raw: { language: content_type.endsWith("xml") ? "xml" : "json" } } } };
}
