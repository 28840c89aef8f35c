import type { OperationId } from "@pestle/contract";
import fc from "fast-check";
import { allowedBy, mutatedJson } from "./contract-arbitraries.ts";
import type { Live, Scene } from "./contract-scene.ts";
import type { JsonSchema, OpenapiDocument, Operation } from "./openapi-document.ts";

/**
 * What to send: the document's example, any value that it allows, a value with one change, or a request outside the
 * API.
 */
const kinds = ["shown", "allowed", "mutated", "malformed"] as const;
type Kind = (typeof kinds)[number];
export type ContractRequest = {
  kind: Kind;
  url: string;
  init: RequestInit & { headers: Headers };
  forbidden: string[];
};

/** So few keys that some repeat, mostly with another body. */
const REPEATED_EVERY = 5;

/** The document's example, with ids of existing records. */
export async function shownRequest(operation: Operation, scene: Scene, fresh = false): Promise<ContractRequest> {
  const { example, examples } = operation.body ?? {};
  const live = await scene.ready(
    operation.operation_id as OperationId,
    example ?? Object.values(examples ?? {})[0]?.value,
    fresh,
  );
  return requestOf(operation, scene, { kind: "shown", live, forbidden: [] });
}

/** Chooses one of the kinds. The same seed gives the same choice. */
export async function variedRequest(
  document: OpenapiDocument,
  scene: Scene,
  operation: Operation,
  seed: number,
): Promise<ContractRequest> {
  let turn = 0;
  const pick = <T>(arbitrary: fc.Arbitrary<T>): T => {
    // Far apart, so that choices are independent.
    const own = Math.imul(seed + Math.imul(turn++, 0x9e3779b9), 0x85ebca6b);
    return fc.sample(arbitrary, { seed: own, numRuns: 1 })[0]!;
  };
  const kind = pick(fc.constantFrom(...kinds));
  if (kind === "shown") return shownRequest(operation, scene, true);
  const resolve = (schema: JsonSchema) => document.resolved(schema);
  const known = Object.fromEntries(
    Object.entries(scene.known).map(([name, ids]) => [name, pick(fc.constantFrom(...ids))]),
  );
  // Keep records that other requests need.
  const path =
    operation.method === "DELETE"
      ? (await scene.ready(operation.operation_id as OperationId, undefined, true)).path
      : known;
  const query = pick(queryOf(operation, resolve));
  const { body } = operation;
  if (kind === "malformed") {
    const { body: whole } = (await shownRequest(operation, scene)).init;
    const request = requestOf(operation, scene, { kind, live: { path, query }, forbidden: [] });
    if (body !== undefined) request.init.body = whole!;
    return pick(spoilt(operation, request));
  }
  const isJson = body?.content_type.endsWith("json") === true;
  const allowed = body === undefined ? undefined : kind === "allowed" && isJson && !isIntake(operation);
  const value =
    body === undefined
      ? undefined
      : allowed
        ? withKnown(pick(allowedBy(body.schema, resolve)), path)
        : (await scene.ready(operation.operation_id as OperationId, body.example)).body;
  const mutatedValue = kind === "mutated" && value !== undefined ? pick(changed(value)) : value;
  const live = { path, query, ...(body !== undefined && { body: mutatedValue }) };
  // The service answers a network's message in the network's format.
  const judged = body !== undefined && isJson && !isIntake(operation);
  const forbidden = judged ? document.misfits(body.pointer, mutatedValue).slice(0, 1) : [];
  const request = requestOf(operation, scene, { kind, live, forbidden });
  const conditional = operation.parameters.some(({ name }) => name === "If-None-Match") && pick(fc.boolean());
  if (conditional) request.init.headers.set("if-none-match", "*");
  const repeatable = operation.parameters.some(({ name }) => name === "Idempotency-Key") && pick(fc.boolean());
  if (repeatable) request.init.headers.set("idempotency-key", `${operation.operation_id}-${seed % REPEATED_EVERY}`);
  return request;
}

const isIntake = ({ path }: Operation) => path.startsWith("/intake");

/** Changes text by cutting it short, and a structure by changing one of its parts. */
const changed = (value: unknown): fc.Arbitrary<unknown> =>
  typeof value === "string"
    ? fc.integer({ min: 0, max: value.length }).map((end) => value.slice(0, end))
    : mutatedJson(value);

/** Some of the parameters, each with a value that its schema allows. */
const queryOf = ({ parameters }: Operation, resolve: (schema: JsonSchema) => JsonSchema) =>
  fc.record(
    Object.fromEntries(
      parameters
        // Only an answer of the service supplies a valid cursor.
        .filter((parameter) => parameter.in === "query" && parameter.name !== "cursor")
        .map(({ name, schema }) => [name, allowedBy(schema, resolve).map(String)]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>>;

/** Puts ids of existing records wherever a field has that name. */
function withKnown(value: unknown, path: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((entry) => withKnown(entry, path));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      typeof entry === "string" && path[name] !== undefined ? path[name] : withKnown(entry, path),
    ]),
  );
}

function requestOf(
  operation: Operation,
  { demo, tokens }: Scene,
  { kind, live, forbidden }: { kind: Kind; live: Live; forbidden: string[] },
): ContractRequest {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(live.path[name]!));
  const query = new URLSearchParams(live.query).toString();
  const server = operation.on_token_server ? demo.sandbox_auth_url : demo.base_url;
  const headers = new Headers({ accept: "application/json" });
  if (!operation.on_token_server) {
    headers.set("authorization", `Bearer ${isIntake(operation) ? tokens.intake : tokens.partners}`);
  }
  const { body } = operation;
  if (body !== undefined) headers.set("content-type", body.content_type);
  const sent = body === undefined ? undefined : written(body.content_type, live.body);
  return {
    kind,
    url: `${server}${path}${query && `?${query}`}`,
    init: { method: operation.method, headers, ...(sent !== undefined && { body: sent }) },
    forbidden,
  };
}

function written(content_type: string, value: unknown): string {
  if (content_type.endsWith("json")) return JSON.stringify(value ?? null);
  if (content_type.endsWith("xml")) return String(value);
  const pairs = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return new URLSearchParams(Object.fromEntries(pairs.map(([name, entry]) => [name, String(entry)]))).toString();
}

/** Requests that the service must reject before its business rules run. */
function spoilt(operation: Operation, request: ContractRequest): fc.Arbitrary<ContractRequest> {
  const { init, url } = request;
  const headers = (change: (headers: Headers) => void) => {
    const copy = new Headers(init.headers);
    change(copy);
    return { ...request, init: { ...init, headers: copy } };
  };
  const refused = (one: ContractRequest, why: string): ContractRequest => ({ ...one, forbidden: [why] });
  const hasBody = init.body !== undefined;
  const odd = { ...request, url: `${url}${url.includes("?") ? "&" : "?"}adress=1` };
  const ways: ContractRequest[] = [
    // OAuth requires servers to ignore unknown parameters.
    operation.on_token_server ? odd : refused(odd, "it has an unknown parameter"),
    ...(operation.on_token_server
      ? []
      : [
          refused(
            headers((all) => all.delete("authorization")),
            "it has no token",
          ),
        ]),
    ...(operation.on_token_server
      ? []
      : [
          refused(
            headers((all) => all.set("authorization", "Bearer no")),
            "its token is invalid",
          ),
        ]),
    ...(operation.on_token_server || isIntake(operation)
      ? []
      : [
          refused(
            headers((all) => all.set("accept", "text/html")),
            "it accepts only another type",
          ),
        ]),
    ...(hasBody
      ? [
          refused(
            headers((all) => all.set("content-type", "text/plain")),
            "its content type is wrong",
          ),
        ]
      : []),
    ...(hasBody && operation.body!.content_type === "application/json"
      ? ["{", "[]", '"x"', "\u0000", '{"a":1,"a":1}'].map((body) =>
          refused({ ...request, init: { ...init, body } }, "its body is not an object"),
        )
      : []),
    ...operation.parameters
      .filter((parameter) => parameter.in === "path")
      .map(({ name }) => {
        const place = operation.path.split("/").indexOf(`{${name}}`);
        const parts = new URL(url).pathname.split("/");
        parts[place] = "no.such~thing";
        return refused({ ...request, url: new URL(parts.join("/"), url).href }, "its id does not exist");
      }),
    ...(operation.parameters.some(({ name }) => name === "Idempotency-Key")
      ? [
          refused(
            headers((all) => all.set("idempotency-key", "has space")),
            "its key is invalid",
          ),
        ]
      : []),
    ...operation.parameters
      .filter((parameter) => parameter.in === "query")
      .map(({ name }) => ({ ...request, url: `${url.split("?")[0]}?${new URLSearchParams({ [name]: "\u0001?" })}` })),
  ];
  return fc.constantFrom(...ways);
}
