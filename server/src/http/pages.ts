import { arazzo, isLoopback, openapi, openapi30, PROVIDER_KINDS, postman } from "@pestle/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { listAuditKeys } from "../db/operations/audit-roots.ts";
import type { Addresses, Deps } from "../deps.ts";
import { formattedMetrics, METRICS_TYPES, metricsFormat } from "../domain/operations/metrics-format.ts";
import type { Readiness } from "../domain/operations/readiness.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";
import { checkProviders } from "../usecases/providers/check-up-providers.ts";
import { version } from "../version.ts";
import { json, type Rendered, renderedBytes, send } from "./answer.ts";
import { sentToken } from "./bearer-token.ts";
import { statusAnswer } from "./errors.ts";

/** The routes of every process: health and metrics. */
export function addHealth(app: FastifyInstance, deps: Deps, readiness: () => Readiness): void {
  app.get("/healthz", (request, reply) => send(request, reply, json(200, { status: "ok" })));

  app.get("/readyz", (request, reply) => {
    const { ready, roles } = readiness();
    deps.metrics.setReady(ready);
    if (!ready)
      return send(request, reply, statusAnswer(503, deps.addresses.base_url, 1, { status: "not_ready", roles }));
    const verbose = "verbose" in (request.query as object) && mayReadMetrics(deps, request);
    return send(
      request,
      reply,
      json(200, { status: "ready", roles, ...(verbose && { providers: providerStates(deps) }) }),
    );
  });

  app.get("/metrics", async (request, reply) => {
    if (!mayReadMetrics(deps, request)) throw new StatusRefusal(404);
    const format = metricsFormat(request.headers.accept);
    // It may have changed since the last question to /readyz.
    deps.metrics.setReady(readiness().ready);
    return reply.type(METRICS_TYPES[format]).send(formattedMetrics(await deps.metrics.text(), format));
  });
}

/** The main listener's routes for programs and pages beside the partner API: descriptions, keys and addresses. */
export function addDocuments(
  app: FastifyInstance,
  deps: Deps,
  site: { addresses: () => Addresses; demo: boolean },
): void {
  // Partners verify proofs with these. Not secret, and the same for everyone.
  app.get("/audit-keys.json", async (request, reply) => {
    const keys = (await listAuditKeys(deps.db)).map(({ key_id, public_key, created_at }) => ({
      key_id,
      public_key,
      created_at: created_at.toISOString(),
    }));
    return send(request, reply, json(200, { keys }));
  });

  app.get("/welcome.json", (request, reply) => {
    const { OPERATOR_NAME: operator_name } = deps.config;
    return send(request, reply, json(200, { operator_name, version, ...site.addresses(), demo: site.demo }));
  });

  for (const [path, describe] of [
    ["/openapi.json", openapi],
    ["/openapi-3.0.json", openapi30],
    ["/arazzo.json", arazzo],
    ["/postman.json", postman],
  ] as const) {
    let document: Rendered | undefined;
    app.get(path, (request, reply) => {
      const { OPERATOR_NAME: operator_name } = deps.config;
      document ??= renderedBytes(JSON.stringify(describe({ version, operator_name, ...site.addresses() })));
      return send(request, reply, { status: 200, body: document });
    });
  }
}

/** By kind: the provider of production accounts, and what is wrong with it. */
const providerStates = ({ providers, provider_watch }: Deps) =>
  checkProviders(providers, provider_watch).map(({ state, says }, index) => {
    const kind = PROVIDER_KINDS[index]!;
    return { kind, provider: providers[kind], state, says };
  });

function mayReadMetrics(deps: Deps, request: FastifyRequest): boolean {
  const { METRICS_TOKEN, HOST, TRUST_PROXY } = deps.config;
  // Behind a proxy on the same machine, every caller could look local.
  if (METRICS_TOKEN === "") return isLoopback(HOST) && TRUST_PROXY === "" && isLoopback(request.ip);
  return sentToken(request, METRICS_TOKEN);
}
