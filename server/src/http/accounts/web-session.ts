import type { OpenSessions, SignInAnswer, WebSession } from "@pestle/contract";
import type { FastifyRequest } from "fastify";
import type { SessionPlace } from "../../db/accounts/sessions.ts";
import type { Deps } from "../../deps.ts";
import { relyingPartyOf } from "../../domain/accounts/relying-party.ts";
import { refuse, StatusRefusal } from "../../domain/values/refusals.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { changePassword } from "../../usecases/accounts/change-password.ts";
import { renewRecoveryCodes } from "../../usecases/accounts/factors/recovery-codes.ts";
import { endOwnSessions, sessionsOf, verifyAgain } from "../../usecases/accounts/manage-sessions.ts";
import {
  beginTotp,
  giveCode,
  IDLE_MS,
  LONGEST_SESSION_MS,
  liveSession,
  outcomeOf,
  type SignedIn,
  signIn,
  signOut,
  totpRequired,
} from "../../usecases/accounts/sign-in.ts";
import { readLink, requestReset, useLink } from "../../usecases/accounts/sign-in-links.ts";
import { beginSso, finishSso, PENDING_MS, readSsoOffer } from "../../usecases/accounts/sso/sign-in-with-sso.ts";
import { simulatedKinds } from "../../usecases/providers/check-up-providers.ts";
import { type Answer, answer, json, rendered } from "../answer.ts";
import type { JsonObject } from "../body.ts";
import { cookieName, type WebRoute } from "../web-api.ts";

export const SSO_ONLY = "Your organization requires single sign-on. Use the single sign-on button.";
const REFUSED = "The email address, the password or the code is wrong. Try again.";
/** Not an answer in the contract's table: every route of the session may return it. */
export const refused = (message = REFUSED): Answer<never> =>
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
      const signed = await signIn(deps, { email, password, code }, placeOf(request), request.id);
      if (signed.outcome === "refused") return refused();
      if (signed.outcome === "sso_only") return refused(SSO_ONLY);
      reply.header("set-cookie", cookie(request, signed.cookie, LONGEST_SESSION_MS / 1000));
      return json(200, { outcome: signed.outcome, ...shown(deps, signed.session) });
    },
  },
  {
    method: "GET",
    path: "/session",
    roles: "anyone",
    handler: async (deps, { person }) =>
      json(200, {
        session: (person as SignedIn | undefined) ? shown(deps, person) : null,
        second_factor: deps.second_factor,
        mail: deps.mail !== null,
        sso: await readSsoOffer(deps),
        passkeys: relyingPartyOf(deps.addresses.base_url)?.rp_id ?? null,
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
      const finished = await finishSso(deps, { query: query.toString(), pending, place: placeOf(request) }, request.id);
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
      const { taken, ...shown_once } = await giveCode(deps, person, textOf(body, "code"), request.id);
      if (!taken) return refused();
      return json(200, { ...(await answerOf(deps, person)), ...shown_once });
    },
  },
  {
    method: "POST",
    path: "/session/second_factor",
    roles: "signed_in",
    handler: async (deps, { person }) => {
      // With only a password, a person may set up a second factor only if one is required and none exists.
      if (!person.complete && (person.needs !== "set_up" || !totpRequired(deps))) throw new StatusRefusal(404);
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
      if (!person.complete && person.needs !== "password") throw new StatusRefusal(404);
      const [password, new_password] = [textOf(body, "password"), textOf(body, "new_password")];
      await changePassword(deps, person, { password, new_password }, request.id);
      return json(200, await answerOf(deps, person));
    },
  },
  {
    method: "POST",
    path: "/session/verify",
    roles: "signed_in",
    handler: async (deps, { person, body, request }) => {
      if (!person.complete) throw new StatusRefusal(404);
      const given = { password: optionalTextOf(body, "password"), code: optionalTextOf(body, "code") };
      if (!(await verifyAgain(deps, person, given, request.id))) throw new AdminRefusal(NOT_VERIFIED);
      return json(200, await answerOf(deps, person));
    },
  },
  {
    method: "POST",
    path: "/session/recovery_codes",
    roles: "signed_in",
    step_up: true,
    handler: async (deps, { person, request }) => {
      if (!person.complete) throw new StatusRefusal(404);
      if (!person.totp_on && person.passkeys === 0)
        throw new AdminRefusal("Set up a second factor first. Recovery codes replace it.");
      return json(201, { codes: await renewRecoveryCodes(deps, person, request.id) });
    },
  },
  {
    method: "GET",
    path: "/sessions",
    roles: "signed_in",
    handler: (deps, { person }) => openSessions(deps, person),
  },
  {
    method: "DELETE",
    path: "/sessions",
    roles: "signed_in",
    handler: async (deps, { person, request }) => {
      if (!person.complete) throw new StatusRefusal(404);
      await endOwnSessions(deps, person, null, request.id);
      return openSessions(deps, person);
    },
  },
  {
    method: "DELETE",
    path: "/sessions/:session_id",
    roles: "signed_in",
    handler: async (deps, { person, params, request }) => {
      if (!person.complete) throw new StatusRefusal(404);
      await endOwnSessions(deps, person, params.session_id, request.id);
      return openSessions(deps, person);
    },
  },
  {
    method: "POST",
    path: "/session/forgotten",
    roles: "anyone",
    handler: (deps, { body, request }) => {
      requestReset(deps, textOf(body, "email"), request.ip, request.id);
      return json(200, { message: RESET_SENT });
    },
  },
  {
    method: "POST",
    path: "/session/link",
    roles: "anyone",
    handler: async (deps, { body }) => json(200, await readLink(deps, textOf(body, "token"))),
  },
  {
    method: "POST",
    path: "/session/link/password",
    roles: "anyone",
    handler: async (deps, { body, request }) => {
      const from = { address: request.ip, request_id: request.id };
      return json(200, await useLink(deps, textOf(body, "token"), textOf(body, "new_password"), from));
    },
  },
];

const NOT_VERIFIED = "The password or the code is wrong. Try again.";
const RESET_SENT = "If this address has a sign-in, we sent it a link to choose a new password. It works for one hour.";

async function openSessions(deps: Deps, person: SignedIn): Promise<Answer<OpenSessions>> {
  if (!person.complete) throw new StatusRefusal(404);
  return json(200, { sessions: await sessionsOf(deps, person.person_id, person.session_id) });
}

/** The session as it is after a step of signing in. */
export async function answerOf(deps: Deps, { session_hash }: SignedIn): Promise<SignInAnswer> {
  const session = await liveSession(deps, session_hash, true);
  if (session === undefined) throw new StatusRefusal(404);
  return { outcome: outcomeOf(session), ...shown(deps, session) };
}

/** Where a person signs in, as the list of sessions shows it. */
export const placeOf = (request: FastifyRequest): SessionPlace => ({
  address: request.ip,
  agent: request.headers["user-agent"]?.slice(0, LONGEST_AGENT) ?? null,
});
const LONGEST_AGENT = 200;

/** The signed-in person, as the page sees them. */
export function shown(deps: Deps, session: SignedIn): WebSession {
  const { person_id, email, name, role, partner_name, csrf_token, complete, needs } = session;
  const { opened_with, totp_on, passkeys, recovery_codes_left } = session;
  return {
    ...{ person_id, email, name, role, partner_name, csrf_token, complete, needs },
    ...{ opened_with, totp_on, passkeys, recovery_codes_left },
    idle_seconds: IDLE_MS / 1000,
    mail: deps.mail !== null,
    simulated: simulatedKinds(deps.providers),
    time_zone: deps.config.TIME_ZONE,
  };
}

export function cookie(request: FastifyRequest, value: string, max_age_s: number): string {
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

const optionalTextOf = (body: JsonObject, field: string): string | null =>
  body[field] === undefined || body[field] === null ? null : textOf(body, field);

export function textOf(body: JsonObject, field: string): string {
  const value = body[field];
  return typeof value === "string" && value.length > 0 && value.length <= LONGEST ? value : refuse(42200, field);
}
