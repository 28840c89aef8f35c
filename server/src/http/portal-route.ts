import { environments, type PortalApi, portalRoleNames, type WebAnswer, type WebFile } from "@pestle/contract";
import { type AccountRow, listAccountsOf } from "../db/accounts/accounts.ts";
import { type Deps, readableWrite, readerAcross } from "../deps.ts";
import { drawnInPortal } from "../domain/accounts/quotas.ts";
import { policyHeader, remainingHeader } from "../domain/accounts/rate-limit.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";
import { withinQuota } from "../usecases/accounts/quotas.ts";
import type { PortalActor } from "../usecases/operations/audit-portal.ts";
import type { Answer } from "./answer.ts";
import { bytesOf, type JsonObject } from "./body.ts";
import { limitOf } from "./front-door.ts";
import { readQuery } from "./query.ts";
import { isStaleRead } from "./stale-reads.ts";
import type { Asked, WebCall, WebCallTo } from "./web-api.ts";

export const everybody = portalRoleNames;
export const developers = ["partner_admin", "partner_developer"] as const;
export const admins = ["partner_admin"] as const;

/** A handler's input. The account comes from the signed-in person. Only its environment comes from the address. */
type Caller = { account: AccountRow; by: PortalActor };
export type PortalCall = WebCall & Caller;
/** The same for one route, with the parameter names of the contract's table. */
export type PortalCallTo<Key extends keyof PortalApi> = WebCallTo<Key> & Caller;
type PortalHandler<Key extends keyof PortalApi> = (
  deps: Deps,
  call: PortalCallTo<Key>,
) => AnswerTo<Key> | Promise<AnswerTo<Key>>;
type HandlerTo<Key extends keyof PortalApi> = (deps: Deps, call: WebCallTo<Key>) => Promise<AnswerTo<Key>>;
/** Undefined if the handler streams a file itself. */
type AnswerTo<Key extends keyof PortalApi> =
  | Answer<WebAnswer<Key>>
  | (WebAnswer<Key> extends WebFile ? undefined : never);

/** A route below `/portal/:environment`. A partner without an account there gets 404. */
export const ofAccount =
  <Key extends keyof PortalApi>(handler: PortalHandler<Key>): HandlerTo<Key> =>
  async (deps, call) => {
    const { person, params, request }: WebCall = call;
    const known = (environments as readonly string[]).includes(params["environment"] ?? "");
    const accounts = known && person.partner_id !== null ? await listAccountsOf(deps.db, person.partner_id) : [];
    const account = accounts.find(({ environment }) => environment === params["environment"]);
    if (account === undefined) throw new StatusRefusal(404);
    const by = {
      account_id: account.account_id,
      person_id: person.person_id,
      role: person.role,
      address: request.ip,
      request_id: request.id,
    };
    spendAsAccount(deps, call, account);
    const { method, routeOptions } = request;
    const route = `${method} ${routeOptions.url?.replace(/^\/web/, "").replaceAll(/:(\w+)/g, "{$1}")}`;
    const body: JsonObject = call.body;
    const drawn = drawnInPortal(route, account.environment, body, bytesOf(request, body));
    const work = (own: Deps) => withinQuota(own, account, drawn, async () => handler(own, { ...call, account, by }));
    if (method !== "GET") return readableWrite(deps, account.account_id, () => work(deps));
    return work(isStaleRead(route) ? await readerAcross(deps, account.account_id) : deps);
  };

/** A page sends several requests at once, which a program does not. */
const PORTAL_BURSTS = 4;

/** All people of a partner together get the rate of one credential, beside the limit of each person. */
function spendAsAccount(deps: Deps, { reply }: WebCall, account: AccountRow): void {
  const { rate_per_second, burst } = limitOf(account, "partners");
  const limit = { rate_per_second, burst: PORTAL_BURSTS * burst };
  const spent = deps.limiter.spend(account.account_id, "portal", limit, deps.now().getTime());
  reply.header("ratelimit-policy", policyHeader(limit));
  reply.header("ratelimit", remainingHeader(spent.remaining, spent.full_in_s));
  if (!spent.allowed) throw new StatusRefusal(429, spent.retry_after_s);
}

/** A route that exists only in the sandbox. */
export const inSandbox = <Key extends keyof PortalApi>(handler: PortalHandler<Key>): HandlerTo<Key> =>
  ofAccount<Key>((deps, call) => {
    if (call.account.environment !== "sandbox") throw new StatusRefusal(404);
    return handler(deps, call);
  });

/** Reads the query by the names that the route takes. Any other name is 40003, as in the API. */
export const queryOf = <Name extends string>({ request }: Asked<Name>, ...names: NoInfer<Name>[]) =>
  readQuery(request.url, names);

/** Rejects malformed ids before querying. */
export function idOf({ params }: PortalCall, name: string, form: RegExp): string {
  const id = params[name] ?? "";
  if (!form.test(id)) throw new StatusRefusal(404);
  return id;
}

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
