import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperationId } from "@pestle/contract";
import fc from "fast-check";
import type { Demo } from "../server/src/seed/demo.ts";
import { ask } from "./ask.ts";
import { allowedBy, mutatedJson } from "./contract-arbitraries.ts";
import { type Live, openScene, type Scene } from "./contract-scene.ts";
import { type JsonSchema, type OpenapiDocument, type Operation, readOpenapi } from "./openapi-document.ts";
import { connectToPostgres } from "./postmaster.ts";
import { type From, killServer, removeDataDir, startServer } from "./server-process.ts";

export type ContractTally = {
  operations: number;
  requests: number;
  /** By operation: how many answers of each status. */
  answers: Record<string, Record<string, number>>;
  faults: string[];
};
/** What is sent: as the document shows it, as it allows it, one thing changed, or no request of the API's at all. */
const kinds = ["shown", "allowed", "mutated", "malformed"] as const;
type Kind = (typeof kinds)[number];
type Request = { kind: Kind; url: string; init: RequestInit & { headers: Headers }; forbidden: string[] };

const SENDERS = 4;
/** So few keys that some come again, mostly with another body. */
const REPEATED_EVERY = 5;

/**
 * Sends requests that are made from the served OpenAPI document to the service that serves it, `count` for each
 * operation, and holds every answer to the document: a status, headers, a body and codes that are told there, never a
 * fault of the service's own, and no success for what the document forbids.
 */
export async function holdToContract(given: { demo: Demo; count: number; seed: number }): Promise<ContractTally> {
  const { demo, count, seed } = given;
  const document = readOpenapi((await ask(`${demo.base_url}/openapi.json`))!.text);
  const scene = await openScene(demo);
  const tally: ContractTally = { operations: document.operations.length, requests: 0, answers: {}, faults: [] };
  for (const { operation_id } of document.operations) tally.answers[operation_id] = {};

  const send = async (operation: Operation, request: Request) => {
    const reply = await ask(request.url, request.init);
    const name = `${operation.operation_id} (${request.kind})`;
    const shown = `${request.init.method} ${request.url.slice(0, 300)} ${String(request.init.body ?? "").slice(0, 600)}`;
    const blame = (fault: string) => void tally.faults.push(`${name}: ${fault} to ${shown}`);
    tally.requests += 1;
    if (reply === undefined) return blame("no answer");
    const answers = tally.answers[operation.operation_id]!;
    answers[reply.status] = (answers[reply.status] ?? 0) + 1;
    if (reply.status >= 500) blame(`${reply.status}`);
    // A dry run succeeds in telling that nothing would be made.
    if (reply.status < 300 && !reply.text.startsWith('{"would_create":false')) {
      for (const forbidden of request.forbidden) blame(`${reply.status} although ${forbidden}`);
    }
    for (const complaint of document.complaints(operation, reply)) blame(complaint);
  };

  // First each as the document shows it, while everything it is about is there.
  for (const operation of document.operations) await send(operation, await shown(operation, scene, true));
  const work = document.operations.flatMap((operation, index) =>
    Array.from({ length: count - 1 }, (_, turn) => ({ operation, turn, own: seed + index * 1_000_003 + turn })),
  );
  // Side by side in the order of the turns, so that no operation has the service for itself.
  work.sort((a, b) => a.turn - b.turn);
  await Promise.all(
    Array.from({ length: SENDERS }, async () => {
      for (let next = work.shift(); next !== undefined; next = work.shift()) {
        await send(next.operation, await varied(document, scene, next.operation, next.own));
      }
    }),
  );
  for (const { operation_id, responses } of document.operations) {
    const statuses = Object.keys(tally.answers[operation_id] ?? {}).map(Number);
    if (!statuses.some((status) => status < 300)) tally.faults.push(`${operation_id}: never succeeded`);
    // What anybody may read is refused only without HTTPS.
    if ("401" in responses && !statuses.some((status) => status >= 400))
      tally.faults.push(`${operation_id}: never refused`);
  }
  return tally;
}

/** The same with a service of its own, which lets its partners ask as fast as they can. */
export async function campaignContract(given: { from: From; count: number; seed: number }): Promise<ContractTally> {
  const data_dir = mkdtempSync(join(tmpdir(), "pestle-contract-"));
  const server = await startServer({ data_dir, from: given.from });
  try {
    const client = await connectToPostgres(data_dir);
    await client.query("update account set rate_per_second = 100000, rate_burst = 100000").finally(() => client.end());
    return await holdToContract({ ...given, demo: server.demo });
  } finally {
    await killServer(server);
    await removeDataDir(data_dir);
  }
}

async function shown(operation: Operation, scene: Scene, fresh = false): Promise<Request> {
  const { example, examples } = operation.body ?? {};
  const live = await scene.ready(
    operation.operation_id as OperationId,
    example ?? Object.values(examples ?? {})[0]?.value,
    fresh,
  );
  return requestOf(operation, scene, { kind: "shown", live, forbidden: [] });
}

async function varied(document: OpenapiDocument, scene: Scene, operation: Operation, seed: number): Promise<Request> {
  const pick = <T>(arbitrary: fc.Arbitrary<T>, turn = 0) => fc.sample(arbitrary, { seed: seed + turn, numRuns: 1 })[0]!;
  const kind = pick(fc.constantFrom(...kinds));
  if (kind === "shown") return shown(operation, scene, true);
  const resolve = (schema: JsonSchema) => document.resolved(schema);
  const known = Object.fromEntries(
    Object.entries(scene.known).map(([name, ids], turn) => [name, pick(fc.constantFrom(...ids), turn)]),
  );
  // What others ask about must stay.
  const path =
    operation.method === "DELETE"
      ? (await scene.ready(operation.operation_id as OperationId, undefined, true)).path
      : known;
  const query = pick(queryOf(operation, resolve));
  const { body } = operation;
  if (kind === "malformed") {
    const { body: whole } = (await shown(operation, scene)).init;
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
  // A network's message is answered in its own format, whatever it is.
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

/** Text is changed by cutting it short; what has parts by one of its parts. */
const changed = (value: unknown): fc.Arbitrary<unknown> =>
  typeof value === "string"
    ? fc.integer({ min: 0, max: value.length }).map((end) => value.slice(0, end))
    : mutatedJson(value);

/** Some of the parameters, each with a value that its schema allows. */
const queryOf = ({ parameters }: Operation, resolve: (schema: JsonSchema) => JsonSchema) =>
  fc.record(
    Object.fromEntries(
      parameters
        // A cursor is none but what an answer gave.
        .filter((parameter) => parameter.in === "query" && parameter.name !== "cursor")
        .map(({ name, schema }) => [name, allowedBy(schema, resolve).map(String)]),
    ),
    { requiredKeys: [] },
  ) as fc.Arbitrary<Record<string, string>>;

/** Ids of records that are there, wherever a value of that name stands. */
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
): Request {
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

/** Requests that never get as far as the rules. */
function spoilt(operation: Operation, request: Request): fc.Arbitrary<Request> {
  const { init, url } = request;
  const headers = (change: (headers: Headers) => void) => {
    const copy = new Headers(init.headers);
    change(copy);
    return { ...request, init: { ...init, headers: copy } };
  };
  const refused = (one: Request, why: string): Request => ({ ...one, forbidden: [why] });
  const hasBody = init.body !== undefined;
  const odd = { ...request, url: `${url}${url.includes("?") ? "&" : "?"}adress=1` };
  const ways: Request[] = [
    // OAuth asks its servers to pass over what they do not know.
    operation.on_token_server ? odd : refused(odd, "a parameter is unknown"),
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
            "its token is none",
          ),
        ]),
    ...(operation.on_token_server || isIntake(operation)
      ? []
      : [
          refused(
            headers((all) => all.set("accept", "text/html")),
            "it asks for another type",
          ),
        ]),
    ...(hasBody
      ? [
          refused(
            headers((all) => all.set("content-type", "text/plain")),
            "its type is another",
          ),
        ]
      : []),
    ...(hasBody && operation.body!.content_type === "application/json"
      ? ["{", "[]", '"x"', "\u0000", '{"a":1,"a":1}'].map((body) =>
          refused({ ...request, init: { ...init, body } }, "its body is no object"),
        )
      : []),
    ...operation.parameters
      .filter((parameter) => parameter.in === "path")
      .map(({ name }) => {
        const place = operation.path.split("/").indexOf(`{${name}}`);
        const parts = new URL(url).pathname.split("/");
        parts[place] = "no.such~thing";
        return refused({ ...request, url: new URL(parts.join("/"), url).href }, "it is about nothing");
      }),
    ...(operation.parameters.some(({ name }) => name === "Idempotency-Key")
      ? [
          refused(
            headers((all) => all.set("idempotency-key", "has space")),
            "its key is none",
          ),
        ]
      : []),
    ...operation.parameters
      .filter((parameter) => parameter.in === "query")
      .map(({ name }) => ({ ...request, url: `${url.split("?")[0]}?${new URLSearchParams({ [name]: "\u0001?" })}` })),
  ];
  return fc.constantFrom(...ways);
}
