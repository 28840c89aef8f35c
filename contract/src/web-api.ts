import type { NewSecondFactor } from "./dashboard/dashboard-admin.ts";
import type { DashboardApi } from "./dashboard/dashboard-api.ts";
import type { PortalApi } from "./portal/portal-api.ts";
import type { SsoOffer, SsoStart, SsoStarted } from "./sso.ts";

/** The signed-in user. */
export type WebSession = {
  person_id: string;
  email: string;
  name: string;
  role: string;
  partner_name: string | null;
  csrf_token: string;
  /** False until the user enters the second-factor code. */
  complete: boolean;
  totp_on: boolean;
  idle_seconds: number;
};
export type SignInAnswer = WebSession & { outcome: "signed_in" | "needs_code" | "needs_set_up" };
/** `session` is null if the caller is not signed in. */
export type SessionAnswer = { session: WebSession | null; second_factor: "offered" | "required"; sso: SsoOffer };

/** Sign-in and sign-out, for both applications. */
export type SessionApi = {
  "POST /session": { body: { email: string; password: string; code?: string | null }; answer: SignInAnswer };
  "GET /session": { answer: SessionAnswer };
  "DELETE /session": { answer: { session: null } };
  "POST /session/sso": { body: SsoStart; answer: SsoStarted };
  /** The provider sends the browser here. Always redirects to a page. */
  "GET /session/sso/callback": { answer: undefined };
  "POST /session/code": { body: { code: string }; answer: SignInAnswer };
  "POST /session/second_factor": { answer: NewSecondFactor };
  "POST /session/password": { body: { password: string; new_password: string }; answer: WebSession };
};

/** Every route below `/web`, by method and path. */
export type WebApi = SessionApi & DashboardApi & PortalApi;
export type WebRouteKey = keyof WebApi;

/** The request body of a route; `Record<string, never>` if it takes no fields. */
export type WebBody<Key extends WebRouteKey> = Key extends WebRouteKey
  ? WebApi[Key] extends { body: infer Body }
    ? Body
    : Record<string, never>
  : never;
/** The query parameters of a route. */
export type WebQueryName<Key extends WebRouteKey> = Key extends WebRouteKey
  ? WebApi[Key] extends { query: infer Name extends string }
    ? Name
    : never
  : never;
export type WebAnswer<Key extends WebRouteKey> = WebApi[Key]["answer"];
