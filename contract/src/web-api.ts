import type {
  NewPasskeyAnswer,
  NewPasskeyRequest,
  PasskeyAnswer,
  PasskeyPurpose,
  PasskeyRequest,
  ShownPasskeys,
} from "./accounts/passkeys.ts";
import type { SsoOffer, SsoStart, SsoStarted } from "./accounts/sso.ts";
import type { NewSecondFactor, OpenSessions } from "./dashboard/dashboard-admin.ts";
import type { DashboardApi } from "./dashboard/dashboard-api.ts";
import type { PortalApi } from "./portal/portal-api.ts";
import type { ProviderKind } from "./providers.ts";

/** The signed-in user. */
export type WebSession = {
  person_id: string;
  email: string;
  name: string;
  role: string;
  partner_name: string | null;
  csrf_token: string;
  /** True if `needs` is null. */
  complete: boolean;
  /** The next step of signing in: a second-factor code, its setup, or a new password in place of an issued one. */
  needs: "code" | "set_up" | "password" | null;
  /** How the session was opened. */
  opened_with: "password" | "sso" | "passkey";
  totp_on: boolean;
  passkeys: number;
  recovery_codes_left: number;
  idle_seconds: number;
  /** Whether the service can send email. */
  mail: boolean;
  /** What production simulates. Every screen says so. */
  simulated: readonly ProviderKind[];
  /** The pharmacy's. Its dates count, wherever the browser is. */
  time_zone: string;
};
/** Each replaces the second factor one time. */
export const RECOVERY_CODES = 10;
/** `recovery_codes`: the person has just set up a second factor. The only time that the codes are shown. */
export type SignInAnswer = WebSession & {
  recovery_codes?: readonly string[] | undefined;
  outcome: "signed_in" | "needs_code" | "needs_set_up" | "needs_password";
};
/** `session` is null if the caller is not signed in. `mail`: a forgotten password can be reset by email. */
export type SessionAnswer = {
  session: WebSession | null;
  second_factor: "offered" | "required";
  mail: boolean;
  sso: SsoOffer;
  /** The host name for which browsers keep passkeys; null if the public URL allows none. */
  passkeys: string | null;
};

/** `error.key` of a 403: the user confirms with `POST /session/verify`, and the page sends the request again. */
export const VERIFY_KEY = "verify";

/** The person whom a one-time link from an email is for. */
export type SignInLink = { email: string; name: string; purpose: "invitation" | "reset" };

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
  "POST /session/password": { body: { password: string; new_password: string }; answer: SignInAnswer };
  "POST /session/verify": { body: { password?: string | null; code?: string | null }; answer: SignInAnswer };
  /** The only time the codes are shown. The earlier ones stop working. */
  "POST /session/recovery_codes": { answer: { codes: string[] } };
  "POST /session/passkey/options": { body: { purpose: PasskeyPurpose }; answer: PasskeyRequest };
  /** Signs in, gives the second factor or confirms a sensitive change, as its challenge says. */
  "POST /session/passkey": { body: { credential: PasskeyAnswer }; answer: SignInAnswer };
  "GET /session/passkeys": { answer: ShownPasskeys };
  "POST /session/passkey/new": { answer: NewPasskeyRequest };
  "POST /session/passkeys": { body: { name: string; credential: NewPasskeyAnswer }; answer: SignInAnswer };
  "PATCH /session/passkeys/{passkey_id}": { body: { name: string }; answer: ShownPasskeys };
  "DELETE /session/passkeys/{passkey_id}": { answer: ShownPasskeys };
  "GET /sessions": { answer: OpenSessions };
  "DELETE /sessions": { answer: OpenSessions };
  "DELETE /sessions/{session_id}": { answer: OpenSessions };
  "POST /session/forgotten": { body: { email: string }; answer: { message: string } };
  "POST /session/link": { body: { token: string }; answer: SignInLink };
  "POST /session/link/password": { body: { token: string; new_password: string }; answer: SignInLink };
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
