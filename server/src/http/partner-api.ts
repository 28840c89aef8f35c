import {
  type AuditedOperation,
  answersMinimal,
  type Endpoint,
  endpoints,
  type JsonSchema,
  type OperationId,
  partnerAudit,
} from "@pestle/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Grant } from "../db/accounts/tokens.ts";
import type { IdempotencyClaim } from "../db/idempotency.ts";
import { patientIndexPlace } from "../db/patients/patients.ts";
import { type Deps, forAccount, type PerEnvironment, readableWrite, readerFor } from "../deps.ts";
import { drawnBy, quotaHeaders } from "../domain/accounts/quotas.ts";
import { within } from "../domain/operations/span.ts";
import { canonicalJson } from "../domain/values/canonical-json.ts";
import { prefersMinimal } from "../domain/values/http-headers.ts";
import { traced } from "../tracing/traced-deps.ts";
import { withinQuota } from "../usecases/accounts/quotas.ts";
import { auditRead, partnerEntry, type RequestBy, type Seen } from "../usecases/operations/audit-partner.ts";
import { type FinishedAnswer, keptAnswer } from "../usecases/write.ts";
import { admitted } from "./admitted.ts";
import { type Answer, answer, rendered, send } from "./answer.ts";
import { bytesOf, type JsonObject, readJsonObject } from "./body.ts";
import { listBrands, listProducts, listShippingMethods } from "./catalogue/catalogue.ts";
import { forwarding } from "./forward.ts";
import { type Door, frontDoor } from "./front-door.ts";
import { getRequest, listRequests } from "./operations/partner-requests.ts";
import { listContinuity } from "./orders/continuity.ts";
import { listOrderMessages, sendOrderMessage } from "./orders/messages.ts";
import {
  createOrder,
  createReorder,
  getOrder,
  listOrderActionRequests,
  listOrderActions,
  listOrderHistory,
  listOrderStatusReasons,
  listOrders,
  replaceOrderAddress,
  requestOrderAction,
} from "./orders/orders.ts";
import {
  addIdentityDocument,
  addShippingAddress,
  getPatient,
  listPatientPrescriptions,
  removeSafetyEntry,
  removeShippingAddress,
  updatePatient,
} from "./patients/patients.ts";
import { createRenewalRequest, getRenewalRequest } from "./prescribers/renewals.ts";
import { readQuery } from "./query.ts";
import { simulate } from "./sandbox/simulate.ts";
import {
  cancelRefillSchedule,
  createRefillSchedule,
  fillRefillNow,
  getRefillSchedule,
  listRefillSchedules,
  pauseRefillSchedule,
  resumeRefillSchedule,
  skipRefill,
} from "./schedules/schedules.ts";
import { partnerReads } from "./stale-reads.ts";
import { getStatement, listStatements } from "./statements/statements.ts";
import {
  createWebhookEndpoint,
  getWebhookEndpoint,
  getWebhookStatistics,
  listWebhookEndpoints,
  redeliverFailedWebhooks,
  removeWebhookEndpoint,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from "./webhooks/webhook-endpoints.ts";
import {
  getWebhookEvent,
  listWebhookAttempts,
  listWebhookEvents,
  redeliverWebhookEvent,
} from "./webhooks/webhook-events.ts";

/** A handler's input. The account comes only from the token. */
type Call = {
  grant: Grant;
  params: Readonly<Record<string, string>>;
  query: ReadonlyMap<string, string[]>;
  /** Path and query as sent. */
  url: string;
  now: Date;
  /** For the audit log. */
  by: RequestBy;
};
export type ReadHandler = (deps: Deps, call: Call) => Answer | Promise<Answer>;
export type WriteHandler = (
  deps: Deps,
  call: Call & { key: IdempotencyClaim | undefined },
  body: JsonObject,
) => Promise<FinishedAnswer>;

type PartnerEndpoint = Extract<(typeof endpoints)[number], { server: "partner" }>;
type Handlers = {
  [E in PartnerEndpoint as E["operation_id"]]: E["method"] extends "GET" ? ReadHandler : WriteHandler;
};

/** One handler per operation in the contract's table. A missing handler is a compile error. */
const handlers: Handlers = {
  getPatient,
  updatePatient,
  removeSafetyEntry,
  listPatientPrescriptions,
  listContinuity,
  addShippingAddress,
  removeShippingAddress,
  addIdentityDocument,
  createOrder,
  listOrders,
  getOrder,
  listOrderHistory,
  replaceOrderAddress,
  createReorder,
  requestOrderAction,
  listOrderActionRequests,
  listOrderMessages,
  sendOrderMessage,
  createRenewalRequest,
  getRenewalRequest,
  createRefillSchedule,
  listRefillSchedules,
  getRefillSchedule,
  skipRefill,
  pauseRefillSchedule,
  resumeRefillSchedule,
  cancelRefillSchedule,
  fillRefillNow,
  createWebhookEndpoint,
  listWebhookEndpoints,
  getWebhookEndpoint,
  updateWebhookEndpoint,
  removeWebhookEndpoint,
  testWebhookEndpoint,
  redeliverFailedWebhooks,
  getWebhookStatistics,
  listWebhookEvents,
  getWebhookEvent,
  listWebhookAttempts,
  redeliverWebhookEvent,
  listStatements,
  getStatement,
  listRequests,
  getRequest,
  listShippingMethods,
  listBrands,
  listProducts,
  listOrderActions,
  listOrderStatusReasons,
  simulate,
};

export type Route = { endpoint: Endpoint; handler: ReadHandler | WriteHandler };

export const partnerRoutes: Route[] = endpoints
  .filter((endpoint) => endpoint.server === "partner")
  .map((endpoint) => ({ endpoint, handler: handlers[endpoint.operation_id] }));

/** Every path answers with and without `/v1` (spec, Versioning 1). */
export function addPartnerApi(
  app: FastifyInstance,
  per: PerEnvironment,
  routes: Route[] = partnerRoutes,
  door: Door = (scope) => frontDoor(per.production, scope, { accept: true }),
): void {
  for (const { endpoint, handler } of routes) {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1");
    for (const url of [path, `/v1${path}`]) {
      app.route({
        method: endpoint.method,
        url,
        onRequest: door(endpoint.auth === "bearer:intake" ? "intake" : "partners"),
        handler: forwarding(
          per,
          { reads_body: endpoint.body !== undefined },
          endpoint.method === "GET"
            ? reading(per, endpoint, handler as ReadHandler)
            : writing(per, endpoint, handler as WriteHandler),
        ),
      });
    }
  }
}

function reading(per: PerEnvironment, endpoint: Endpoint, handler: ReadHandler) {
  const names = Object.keys(endpoint.query ?? {});
  const operation = endpoint.operation_id as OperationId;
  const audited = isAudited(operation) ? operation : undefined;
  const stale = partnerReads[operation as keyof typeof partnerReads] === "replica";
  return (request: FastifyRequest, reply: FastifyReply) => {
    const deps = per[request.grant!.environment];
    const call = callOf(deps, request, names);
    const { account_id } = call.grant;
    const answeredFrom = (own: Deps) => within(request.span, operation, (span) => handler(traced(own, span), call));
    const result = admitted(deps, account_id, () => {
      const own = stale ? readerFor(deps, account_id) : forAccount(deps, account_id);
      return own instanceof Promise ? own.then(answeredFrom) : answeredFrom(own);
    });
    const answered = (made: Answer) => {
      if (audited !== undefined) auditRead(deps, partnerEntry(audited, call, seenIn(made, audited)));
      return send(request, reply, made);
    };
    return result instanceof Promise ? result.then(answered) : answered(result);
  };
}

function writing(per: PerEnvironment, endpoint: Endpoint, handler: WriteHandler) {
  const names = Object.keys(endpoint.query ?? {});
  const optional = endpoint.body_optional ?? false;
  const may_be_minimal = answersMinimal(endpoint);
  const known = endpoint.body && Object.keys((endpoint.body.schema as JsonSchema)["properties"] ?? {});
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const deps = per[request.grant!.environment];
    const call = callOf(deps, request, names);
    const body = endpoint.body === undefined ? {} : await readJsonObject(request.raw, { optional, known });
    request.sent = body;
    const key = endpoint.idempotent ? idempotencyClaim(deps, endpoint, call, request, body) : undefined;
    const own = forAccount(deps, call.grant.account_id);
    const drawn = isDryRun(call)
      ? undefined
      : drawnBy(endpoint.operation_id, call.grant.environment, body, bytesOf(request, body));
    if (drawn !== undefined) {
      reply.headers(quotaHeaders(drawn, deps.quotas.read(call.grant.account_id, call.grant.environment)));
    }
    const { account_id } = call.grant;
    const work = () =>
      within(request.span, endpoint.operation_id, (span) => handler(traced(own, span), { ...call, key }, body));
    const done = await readableWrite(deps, account_id, () =>
      withinQuota(deps, call.grant, drawn, () => admitted(deps, account_id, work), {
        kept: async () => key && keptAnswer(traced(own, request.span), key),
        stores: ({ replayed }) => !replayed,
      }),
    );
    if (may_be_minimal && prefersMinimal(request.headers["prefer"])) return send(request, reply, minimal(done));
    const headers = done.replayed ? { "idempotent-replayed": "true" } : undefined;
    return send(request, reply, answer(done.status, rendered(done.body), headers));
  };
}

/** RFC 7240: the caller knows what it changed and needs only the new ETag. */
const minimal = ({ body }: FinishedAnswer): Answer =>
  answer(204, { text: "", etag: rendered(body).etag }, { "preference-applied": "return=minimal" });

const isDryRun = ({ query }: Pick<Call, "query">) => query.get("dry_run")?.[0] === "true";

const isAudited = (operation: OperationId): operation is AuditedOperation =>
  Object.hasOwn(partnerAudit, operation) && "writes" in partnerAudit[operation];

function seenIn({ seen }: Answer, operation: string): Seen {
  if (seen === undefined) throw new Error(`${operation} does not name the patients that it shows`);
  return seen;
}

function callOf(deps: Deps, request: FastifyRequest, names: string[]): Call {
  return {
    grant: request.grant!,
    params: request.params as Record<string, string>,
    query: readQuery(request.url, names),
    url: request.url,
    now: deps.now(),
    by: { request_id: request.id, address: request.ip },
  };
}

function idempotencyClaim(
  deps: Deps,
  endpoint: Endpoint,
  { grant, params, query }: Call,
  request: FastifyRequest,
  body: JsonObject,
): IdempotencyClaim | undefined {
  const idempotency_key = request.headers["idempotency-key"];
  if (typeof idempotency_key !== "string") return undefined;
  // A dry run writes nothing, so the key stays free for the order that follows.
  if (isDryRun({ query })) return undefined;
  const { account_id } = grant;
  // Normalized, because a retry may add the version prefix, an escape or a proxy's absolute URL.
  // A partner's patient id can be a clinic's record number, so the stored path carries its blind index.
  const shown = (name: string, value: string) =>
    name === "patient_id" ? deps.vault.layeredIndex(value, patientIndexPlace(account_id)).toString("hex") : value;
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => shown(name, params[name] ?? ""));
  // A keyed hash, because the plain hash of a short body, such as a document's number, could be guessed.
  const sent = canonicalJson([request.url.replace(/^[^?]*/, ""), body]);
  const fingerprint = deps.vault.layeredIndex(sent, `idempotent_answer.fingerprint ${account_id}`);
  return { account_id, path, idempotency_key, fingerprint };
}
