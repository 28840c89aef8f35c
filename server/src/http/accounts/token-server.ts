import { isUtf8 } from "node:buffer";
import type { Environment } from "@pestle/contract";
import { endpoints, serverMetadata } from "@pestle/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Deps, PerEnvironment } from "../../deps.ts";
import { parseForm } from "../../domain/accounts/client-credentials.ts";
import { networkOf } from "../../domain/accounts/network.ts";
import { within } from "../../domain/operations/span.ts";
import { refusedForm } from "../../domain/values/refusals.ts";
import { traced } from "../../tracing/traced-deps.ts";
import { introspectToken } from "../../usecases/accounts/introspect-token.ts";
import { issueToken, type TokenServerRequest } from "../../usecases/accounts/issue-token.ts";
import { revokeToken } from "../../usecases/accounts/revoke-token.ts";
import { admitted } from "../admitted.ts";
import { type Answer, answer, json, rendered, send } from "../answer.ts";
import { readBody } from "../body.ts";
import { repeats } from "../front-door.ts";

// Spec, Authentication 6: exactly these three headers.
const TOKEN_HEADERS = {
  "content-type": "application/json;charset=utf-8",
  "cache-control": "no-store",
  pragma: "no-cache",
};

/** Ids, secrets, tokens and scopes together need less than 1 KiB. */
const LARGEST_FORM_BYTES = 8 * 1024;

type FormHandler = (deps: Deps, environment: Environment, request: TokenServerRequest) => Promise<Answer>;
type TokenOperation = Extract<(typeof endpoints)[number], { server: "token"; method: "POST" }>["operation_id"];

const handlers: Record<TokenOperation, FormHandler> = {
  issueToken: async (...args) => json(200, await issueToken(...args), TOKEN_HEADERS),
  introspectToken: async (...args) => json(200, await introspectToken(...args), TOKEN_HEADERS),
  revokeToken: async (...args) => {
    await revokeToken(...args);
    // Empty, but still labeled JSON, because a strict client rejects an answer without a type.
    return answer(200, rendered(""), TOKEN_HEADERS);
  },
};

/** The token server of one environment (spec, Authentication 3: production and sandbox behave the same). */
export function addTokenServer(
  app: FastifyInstance,
  per: PerEnvironment,
  environment: Environment,
  issuer: () => string,
): void {
  const deps = per[environment];
  for (const endpoint of endpoints) {
    if (endpoint.server !== "token") continue;
    if (endpoint.method === "GET") {
      app.get(endpoint.path, (request, reply) => send(request, reply, json(200, serverMetadata(issuer()))));
    } else {
      const handler = handlers[endpoint.operation_id];
      app.post(endpoint.path, async (request: FastifyRequest, reply: FastifyReply) => {
        const asked = await readRequest(request);
        // Before its secret is checked, a client id is only what the caller wrote.
        const party = networkOf(request.ip ?? "");
        const made = await admitted(deps, party, () =>
          within(request.span, endpoint.operation_id, (span) => handler(traced(deps, span), environment, asked)),
        );
        return send(request, reply, made);
      });
    }
  }
  app.get("/healthz", (request, reply) => send(request, reply, json(200, { status: "ok" })));
}

async function readRequest(request: FastifyRequest): Promise<TokenServerRequest> {
  const bytes = await readBody(request.raw, LARGEST_FORM_BYTES);
  // RFC 6749, 5.2: several client authentication methods, or a body that is not a form, make a malformed request.
  if (bytes === "too large" || !isUtf8(bytes) || repeats(request, "authorization")) {
    throw refusedForm("not_a_form");
  }
  return {
    authorization: request.headers.authorization,
    form: parseForm(request.headers["content-type"], bytes.toString("utf8")),
    remote_address: request.ip,
    request_id: request.id,
  };
}
