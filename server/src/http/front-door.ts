import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from "fastify";
import type { Grant } from "../db/accounts/tokens.ts";
import type { Deps, EnvironmentDeps } from "../deps.ts";
import { isInNetworks } from "../domain/accounts/allowed-networks.ts";
import { type Limit, policyHeader, remainingHeader } from "../domain/accounts/rate-limit.ts";
import { within } from "../domain/operations/span.ts";
import { acceptsJson } from "../domain/values/http-headers.ts";
import { refuse, StatusRefusal, Unauthorized } from "../domain/values/refusals.ts";
import { checkBearer } from "../usecases/accounts/check-bearer.ts";

/** Limits per credential, unless the account sets its own. */
export const defaultLimits = {
  production: { rate_per_second: 100, burst: 200 },
  sandbox: { rate_per_second: 25, burst: 50 },
  intake: { rate_per_second: 500, burst: 1000 },
} satisfies Record<string, Limit>;

/** The checks before a route with this scope. */
export type Door = (scope: "partners" | "intake") => ReturnType<typeof frontDoor> | ReturnType<typeof innerDoor>;

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** For answers to an unauthenticated caller: the default limit, with nothing spent. */
export const strangerLimit = {
  "ratelimit-policy": policyHeader(defaultLimits.production),
  ratelimit: remainingHeader(defaultLimits.production.burst, 0),
};

/**
 * The checks of every bearer-protected route, in the contract's order: Accept 406, token and address 401, rate 429, idempotency key
 * 400. If the process has the token cached, they finish in the same tick.
 */
export function frontDoor(deps: Deps, scope: "partners" | "intake", options: { accept: boolean }) {
  const pass = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
    if (options.accept && !acceptsJson(request.headers.accept)) throw new StatusRefusal(406);
    if (repeats(request, "authorization")) refuse(40005, "Authorization");
    // A caller that hung up has no address left.
    const grant = checkBearer(deps, request.headers.authorization, scope, request.ip ?? "");
    if (!(grant instanceof Promise)) return admit(deps, request, reply, grant, scope);
    const checked = within(request.span, "check token", () => grant);
    return checked.then((granted) => admit(deps, request, reply, granted, scope));
  };
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    let passing: void | Promise<void>;
    try {
      passing = pass(request, reply);
    } catch (error) {
      done(error as Error);
      return;
    }
    if (passing === undefined) done();
    else passing.then(() => done(), done);
  };
}

/**
 * For requests that passed the front door of another process, which counted them. Checks the token again, because a wrong
 * decision there must not show an account of the other environment here.
 */
export function innerDoor(deps: EnvironmentDeps, scope: "partners" | "intake") {
  return async (request: FastifyRequest): Promise<void> => {
    const grant = await checkBearer(deps, request.headers.authorization, scope, request.ip ?? "");
    if (grant.environment !== deps.serves) throw new Unauthorized("invalid_token");
    request.grant = grant;
  };
}

export function limitOf(grant: Pick<Grant, "environment" | "rate_per_second" | "rate_burst">, scope: string): Limit {
  if (scope === "intake") return defaultLimits.intake;
  if (grant.rate_per_second === null || grant.rate_burst === null) return defaultLimits[grant.environment];
  return { rate_per_second: grant.rate_per_second, burst: grant.rate_burst };
}

function admit(deps: Deps, request: FastifyRequest, reply: FastifyReply, grant: Grant, scope: string): void {
  request.grant = grant;
  if (grant.allowed_networks.length > 0 && !isInNetworks(request.ip, grant.allowed_networks)) {
    throw new Unauthorized("address_not_allowed");
  }
  const limit = limitOf(grant, scope);
  const spent = deps.limiter.spend(grant.account_id, grant.credential_id, limit, deps.now().getTime());
  reply.header("ratelimit-policy", policyHeader(limit));
  reply.header("ratelimit", remainingHeader(spent.remaining, spent.full_in_s));
  if (!spent.allowed) throw new StatusRefusal(429, spent.retry_after_s);
  const key = request.headers["idempotency-key"];
  if (key !== undefined && request.method === "POST" && !IDEMPOTENCY_KEY.test(String(key)))
    refuse(40005, "Idempotency-Key");
}

/** Node joins repeated headers or keeps the first one. For credentials neither is safe. */
export function repeats(request: FastifyRequest, name: string): boolean {
  const { rawHeaders } = request.raw;
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string;
    if (header.length === name.length && header.toLowerCase() === name) seen++;
  }
  return seen > 1;
}
