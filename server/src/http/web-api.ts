import { hash } from "node:crypto";
import {
  type PersonRoleName,
  VERIFY_KEY,
  type WebAnswer,
  type WebBody,
  type WebFile,
  type WebQueryName,
  type WebRouteKey,
  type WebStream,
} from "@pestle/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Deps, type PerEnvironment, readableWrite, readerAcross } from "../deps.ts";
import { networkOf } from "../domain/accounts/network.ts";
import type { Limit } from "../domain/accounts/rate-limit.ts";
import { BoundedMap } from "../domain/values/bounded-map.ts";
import { StatusRefusal } from "../domain/values/refusals.ts";
import { traced } from "../tracing/traced-deps.ts";
import { AdminRefusal } from "../usecases/accounts/admin-refusal.ts";
import { isVerified } from "../usecases/accounts/manage-sessions.ts";
import { findSession, type SignedIn } from "../usecases/accounts/sign-in.ts";
import { WorkRefusal } from "../usecases/fulfillment/work-refusal.ts";
import { admitted } from "./admitted.ts";
import { type Answer, json, send } from "./answer.ts";
import { type JsonObject, readJsonObject } from "./body.ts";
import { unkept } from "./errors.ts";
import { maybeStale } from "./stale-reads.ts";

/**
 * A route of the web pages: one row of the contract's table and its handler. A person whose role is not in `roles`
 * receives 404.
 */
export type WebRoute = { [Key in WebRouteKey]: RouteAt<Key> }[WebRouteKey];

type RouteAt<Key extends WebRouteKey> = {
  method: Key extends `${infer Method} ${string}` ? Method : never;
  /** The path below `/web` in the router's notation: `:name` for `{name}`. */
  path: Key extends `${string} ${infer Path}` ? RouterPath<Path> : never;
  /** `anyone`: no sign-in needed. `signed_in`: any signed-in person, even before the second factor. */
  roles: readonly PersonRoleName[] | "anyone" | "signed_in";
  /** The person must have given a password or a second factor within STEP_UP_MINUTES. */
  step_up?: true;
  handler: WebHandler<Key>;
};

type RouterPath<Path extends string> = Path extends `${infer Head}{${infer Name}}${infer Tail}`
  ? `${Head}:${Name}${RouterPath<Tail>}`
  : Path;
type PathParam<Path extends string> = Path extends `${string}{${infer Name}}${infer Tail}`
  ? Name | PathParam<Tail>
  : never;

export type WebHandler<Key extends WebRouteKey> = (deps: Deps, call: WebCallTo<Key>) => Answered<Key>;
/** Undefined if the handler has sent the answer itself, as a stream does. */
type Answered<Key extends WebRouteKey> =
  WebAnswer<Key> extends WebFile | WebStream<unknown>
    ? Promise<Answer<WebAnswer<Key>> | undefined>
    : Answer<WebAnswer<Key>> | Promise<Answer<WebAnswer<Key>>>;

/** A call of one route. Its parameters and body fields have the names of the contract's table. */
export type WebCallTo<Key extends WebRouteKey> = Omit<WebCall, "params" | "body"> &
  Asked<WebQueryName<Key>> & {
    params: { readonly [Name in PathParam<Key>]: string };
    body: { readonly [Field in FieldOf<WebBody<Key>>]?: unknown };
  };
/** A request to a route whose query takes these names. The phantom key exists only for the compiler. */
export type Asked<Name extends string> = { request: FastifyRequest; readonly "~query"?: Name };
/** The fields of every body type that a route takes. */
type FieldOf<Body> = Body extends Record<string, never> ? never : Body extends unknown ? keyof Body : never;

export type WebCall = {
  /** Undefined only for `anyone`. */
  person: SignedIn;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: JsonObject;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** The `__Host-` name is more secure, but needs HTTPS. Only plain HTTP on this machine uses the other one. */
export const cookieName = (request: FastifyRequest): string =>
  request.protocol === "https" ? "__Host-pestle-session" : "pestle-session";

/** Requests of one person: far more than the pages send, and less than a program would. */
const PERSON_LIMIT: Limit = { rate_per_second: 100, burst: 500 };
/** Cookies that this process does not know, per network. A cookie that has a session gives its try back. */
export const UNKNOWN_COOKIES: Limit = { rate_per_second: 20, burst: 500 };
/** Sessions that this process has seen, so that a stranger on the same network does not lock their owners out. */
const MOST_SEEN = { entries: 10_000, bytes: 4 * 1024 * 1024, bytesOf: () => 8 };
type Seen = BoundedMap<true>;

/**
 * Adds routes under `/web`. It checks session, limits, role, origin and CSRF token, so that no route can forget them. A
 * route of the portal uses the connections and the turn of its environment, as the partner API does.
 */
export function addWebApi(app: FastifyInstance, per: PerEnvironment, routes: readonly WebRoute[]): void {
  const seen: Seen = new BoundedMap(MOST_SEEN);
  for (const route of routes) {
    const ofEnvironment = route.path.startsWith("/portal/:environment/");
    // A page of the portal chooses for its account (portal-route.ts).
    const stale = !ofEnvironment && maybeStale(route);
    app.route({
      method: route.method,
      url: `/web${route.path}`,
      handler: async (request, reply) => {
        const person = await callerOf(traced(per.production, request.span), seen, request, route);
        if (person === "signed out") {
          return send(request, reply, unkept(json(401, { error: { error_code: 401, message: SIGN_IN } })));
        }
        if (route.method !== "GET" && !isOwnPage(request, person)) throw new StatusRefusal(404);
        if (route.step_up && !isVerified(per.production, person as SignedIn)) {
          return send(
            request,
            reply,
            unkept(json(403, { error: { error_code: 403, key: VERIFY_KEY, message: VERIFY } })),
          );
        }
        const body = hasBody(route) ? await readJsonObject(request.raw) : {};
        const call: WebCall = {
          person: (person && { ...person, address: request.ip }) as SignedIn,
          params: request.params as Record<string, string>,
          query: new URLSearchParams(request.url.replace(/^[^?]*\??/, "")),
          body,
          request,
          reply,
        };
        const deps = ofEnvironment && call.params["environment"] === "sandbox" ? per.sandbox : per.production;
        const from = (own: Deps) => answered(traced(own, request.span), route, call);
        const work = async () =>
          route.method === "GET" || person === undefined
            ? from(stale ? await readerAcross(deps, call.person.person_id) : deps)
            : readableWrite(deps, person.person_id, async () => from(deps));
        const answer = await (ofEnvironment ? admitted(deps, partyOf(call.person), work) : work());
        return answer === undefined ? reply : send(request, reply, unkept(answer));
      },
    });
  }
}

const VERIFY = "Confirm that it is you, then try again.";
const SIGN_IN = "Sign in to continue where you left off.";
const hasBody = ({ method }: WebRoute) => method === "POST" || method === "PUT" || method === "PATCH";

/** The people of a partner wait in one line, beside that of its programs. */
const partyOf = ({ partner_id, person_id }: SignedIn): string => partner_id ?? person_id;

/** The router matched the path of the handler's own row, so the parameters are the ones that the handler names. */
type AnyHandler = (deps: Deps, call: WebCall) => Answer | Promise<Answer | undefined>;

/** Shows the pharmacy's own refusals unchanged, because they name no patient. */
async function answered(deps: Deps, { handler }: WebRoute, call: WebCall): Promise<Answer | undefined> {
  try {
    return await (handler as AnyHandler)(deps, call);
  } catch (error) {
    if (error instanceof WorkRefusal) {
      return json(409, { error: { error_code: 409, key: error.key, message: error.message } });
    }
    if (error instanceof AdminRefusal) return json(422, { error: { error_code: 422, message: error.message } });
    throw error;
  }
}

/** A route of another role answers 404, like an unknown one. */
async function callerOf(
  deps: Deps,
  seen: Seen,
  request: FastifyRequest,
  { roles }: WebRoute,
): Promise<SignedIn | undefined | "signed out"> {
  const cookie = cookieOf(request);
  const person = cookie === undefined ? undefined : await sessionOf(deps, seen, request, cookie);
  if (roles === "anyone") return person;
  if (person === undefined) return "signed out";
  if (roles === "signed_in") return person;
  if (!person.complete) return "signed out";
  if (!(roles as readonly string[]).includes(person.role)) throw new StatusRefusal(404);
  return person;
}

/** Looks a session up, which costs a statement, and counts the request against its limits. */
async function sessionOf(
  deps: Deps,
  seen: Seen,
  request: FastifyRequest,
  cookie: string,
): Promise<SignedIn | undefined> {
  const key = hash("sha256", cookie, "base64url");
  const spend = (who: string, what: string, limit: Limit) => {
    const spent = deps.strangers.spend(who, what, limit, deps.now().getTime());
    if (!spent.allowed) throw new StatusRefusal(429, spent.retry_after_s);
  };
  const network = networkOf(request.ip ?? "");
  const isNew = seen.get(key) === undefined;
  if (isNew) spend(network, "cookie", UNKNOWN_COOKIES);
  const person = await findSession(deps, cookie, isPresent(request));
  if (person === undefined) {
    seen.delete(key);
    return undefined;
  }
  if (isNew) {
    deps.strangers.giveBack(network, "cookie", UNKNOWN_COOKIES);
    seen.set(key, true);
  }
  spend(person.person_id, "web", PERSON_LIMIT);
  return person;
}

/** Automatic refreshes do not count as activity. Only a change, or a page with recent user input, does. */
const isPresent = ({ method, headers }: FastifyRequest): boolean =>
  method !== "GET" || headers["x-pestle-present"] === "1";

function cookieOf(request: FastifyRequest): string | undefined {
  const name = cookieName(request);
  for (const part of (request.headers.cookie ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value !== undefined && /^[\w-]{43}$/.test(value)) return value;
  }
  return undefined;
}

/**
 * A change must come from our own page. The browser's headers must say so, and the request must carry the session's
 * token, which no other page can read. Sign-in has no token yet, so the headers suffice there.
 */
function isOwnPage(request: FastifyRequest, person: SignedIn | undefined): boolean {
  const { origin, host, "sec-fetch-site": site, "x-csrf-token": token } = request.headers;
  if (site !== undefined && site !== "same-origin") return false;
  // A page with an opaque origin sends "null".
  if (origin !== undefined && origin.replace(/^https?:\/\//, "") !== host) return false;
  return person === undefined || token === person.csrf_token;
}
