import type { FastifyRequest } from "fastify";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { changePassword } from "../../usecases/accounts/change-password.ts";
import {
  beginTotp,
  giveCode,
  IDLE_MS,
  LONGEST_SESSION_MS,
  type SignedIn,
  signIn,
  signOut,
  totpRequired,
} from "../../usecases/accounts/sign-in.ts";
import { beginSso, finishSso, PENDING_MS, readSsoOffer } from "../../usecases/accounts/sso/sign-in-with-sso.ts";
import { type Answer, answer, json, rendered } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { cookieName, type WebRoute } from "../web-api.ts";

const SSO_ONLY = "Your organization requires single sign-on. Use the single sign-on button.";
const REFUSED = "The email address, the password or the code is wrong. Try again.";
/** Not an answer in the contract's table: every route of the session may return it. */
const refused = (message = REFUSED): Answer<never> =>
  json(401, { error: { error_code: 401, message } }) as Answer as Answer<never>;

/** Sign-in and sign-out. */
export const sessionRoutes: readonly WebRoute[] = [
  {
    method: "POST",
    path: "/session",
    roles: "anyone",
    handler: async (deps, { body, request, reply }) => {
      const [email, password] = [textOf(body, "email"), textOf(body, "password")];
      const code = body["code"] === undefined || body["code"] === null ? null : textOf(body, "code");
      const signed = await signIn(deps, { email, password, code }, request.ip, request.id);
      if (signed.outcome === "refused") return refused();
      if (signed.outcome === "sso_only") return refused(SSO_ONLY);
      reply.header("set-cookie", cookie(request, signed.cookie, LONGEST_SESSION_MS / 1000));
      return json(200, { outcome: signed.outcome, ...shown(signed.session) });
    },
  },
  {
    method: "GET",
    path: "/session",
    roles: "anyone",
    handler: async (deps, { person }) =>
      json(200, {
        session: (person as SignedIn | undefined) ? shown(person) : null,
        second_factor: deps.second_factor,
        sso: await readSsoOffer(deps),
      }),
  },
  {
    method: "POST",
    path: "/session/sso",
    roles: "anyone",
    handler: async (deps, { body, request, reply }) => {
      const email = body["email"] === undefined ? undefined : textOf(body, "email");
      const { redirect_to, pending } = await beginSso(deps, { email, return_to: textOf(body, "return_to") });
      reply.header("set-cookie", pendingCookie(request, pending, PENDING_MS / 1000));
      return json(200, { redirect_to });
    },
  },
  {
    method: "GET",
    path: "/session/sso/callback",
    roles: "anyone",
    handler: async (deps, { query, request, reply }) => {
      const pending = pendingOf(request);
      const finished = await finishSso(deps, { query: query.toString(), pending }, request.id);
      const cookies = [pendingCookie(request, "", 0)];
      if (finished.refused === null) {
        cookies.push(cookie(request, finished.signed.cookie, LONGEST_SESSION_MS / 1000));
      }
      reply.header("set-cookie", cookies);
      const told = finished.refused === null ? "" : `?sso=${finished.refused}`;
      return answer(303, rendered(""), { location: `${finished.return_to}${told}`, "referrer-policy": "no-referrer" });
    },
  },
  {
    method: "DELETE",
    path: "/session",
    roles: "signed_in",
    handler: async (deps, { person, request, reply }) => {
      await signOut(deps, person, request.id);
      reply.header("set-cookie", cookie(request, "", 0));
      return json(200, { session: null });
    },
  },
  {
    method: "POST",
    path: "/session/code",
    roles: "signed_in",
    handler: async (deps, { person, body, request }) => {
      const taken = await giveCode(deps, person, textOf(body, "code"), request.id);
      if (!taken) return refused();
      return json(200, { outcome: "signed_in", ...shown({ ...person, complete: true, totp_on: true }) });
    },
  },
  {
    method: "POST",
    path: "/session/second_factor",
    roles: "signed_in",
    handler: async (deps, { person }) => {
      // With only a password, a person may set up a second factor only if one is required and none exists.
      if (!person.complete && (person.totp_on || !totpRequired(deps))) throw new StatusRefusal(404);
      const made = await beginTotp(deps, person);
      if (made === undefined) throw new StatusRefusal(404);
      return json(200, made);
    },
  },
  {
    method: "POST",
    path: "/session/password",
    roles: "signed_in",
    handler: async (deps, { person, body, request }) => {
      if (!person.complete) throw new StatusRefusal(404);
      const [password, new_password] = [textOf(body, "password"), textOf(body, "new_password")];
      await changePassword(deps, person, { password, new_password }, request.id);
      return json(200, shown(person));
    },
  },
];

/** The signed-in person, as the page sees them. */
function shown({ person_id, email, name, role, partner_name, csrf_token, complete, totp_on }: SignedIn) {
  return { person_id, email, name, role, partner_name, csrf_token, complete, totp_on, idle_seconds: IDLE_MS / 1000 };
}

function cookie(request: FastifyRequest, value: string, max_age_s: number): string {
  const secure = request.protocol === "https" ? "; Secure" : "";
  return `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${max_age_s}${secure}`;
}

/** Lax, because the browser comes back from the provider's site. It opens nothing without the provider's code. */
function pendingCookie(request: FastifyRequest, value: string, max_age_s: number): string {
  const secure = request.protocol === "https" ? "; Secure" : "";
  return `${PENDING_COOKIE}=${value}; Path=/web/session/sso; HttpOnly; SameSite=Lax; Max-Age=${max_age_s}${secure}`;
}

const PENDING_COOKIE = "pestle-sso";
const pendingOf = ({ headers }: FastifyRequest): string | undefined =>
  /(?:^|; ?)pestle-sso=([\w-]{20,4000})(?:;|$)/.exec(headers.cookie ?? "")?.[1];

const LONGEST = 300;

function textOf(body: JsonObject, field: string): string {
  const value = body[field];
  return typeof value === "string" && value.length > 0 && value.length <= LONGEST ? value : refuse(42200, field);
}
