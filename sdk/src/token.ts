import { ASSERTION_TYPE, type TokenResponse } from "@pestle/contract/partner";
import type { SignAssertion } from "./client-assertion.ts";
import { formUrlEncode } from "./crypto/signature.ts";
import { PestleError } from "./errors.ts";
import { type Deadline, send, type Travel } from "./transport.ts";

export type TokenSource = {
  /** The current token, or a promise of the one that all callers wait for. */
  get(): string | Promise<string>;
  /** Drops a refused token, unless it has been replaced. */
  drop(access_token: string): void;
};

type Held = { access_token: string; renew_at_ms: number; expires_at_ms: number };

const RENEW_EARLY_MS = 60_000;
const RENEW_EARLY_SHARE = 0.1;
const NEXT_TRY_AFTER_MS = 5_000;

/**
 * Holds one token and renews it early: 60 s before it expires, or at a tenth of its lifetime if that is less. Callers do
 * not wait for an early renewal; if it fails, they use the current token until it expires.
 */
export function createTokenSource(issue: () => Promise<TokenResponse>, now: () => Date): TokenSource {
  let held: Held | undefined;
  let renewal: Promise<string> | undefined;

  const renew = (): Promise<string> => {
    // Measured from before the request on this machine's clock, which can differ from the server's.
    const asked_at_ms = now().getTime();
    renewal ??= issue()
      .then(({ access_token, expires_in }) => {
        const early_ms = Math.min(RENEW_EARLY_MS, expires_in * 1000 * RENEW_EARLY_SHARE);
        const expires_at_ms = asked_at_ms + expires_in * 1000;
        held = { access_token, expires_at_ms, renew_at_ms: expires_at_ms - early_ms };
        return access_token;
      })
      .finally(() => {
        renewal = undefined;
      });
    return renewal;
  };

  return {
    get() {
      const current = held;
      const now_ms = now().getTime();
      if (current === undefined || now_ms >= current.expires_at_ms) return renew();
      if (now_ms >= current.renew_at_ms) {
        current.renew_at_ms = now_ms + NEXT_TRY_AFTER_MS;
        renew().catch(() => {});
      }
      return current.access_token;
    },
    drop(access_token) {
      if (held?.access_token === access_token) held = undefined;
    },
  };
}

export type ClientProof = { client_secret: string } | { sign: SignAssertion };

/** The client credentials grant: HTTP Basic authentication, or an assertion. Omits an empty scope. */
export async function requestToken(
  travel: Travel,
  credentials: { client_id: string; proof: ClientProof; auth_url: string; scope: string },
  deadline: Deadline,
): Promise<TokenResponse> {
  const { client_id, proof, auth_url, scope } = credentials;
  const headers = new Headers({
    accept: "application/json",
    "content-type": "application/x-www-form-urlencoded",
  });
  const form = new URLSearchParams({ grant_type: "client_credentials", ...(scope === "" ? {} : { scope }) });
  if ("client_secret" in proof) {
    const basic = `${formUrlEncode(client_id)}:${formUrlEncode(proof.client_secret)}`;
    headers.set("authorization", `Basic ${btoa(basic)}`);
  }
  const url = new URL(`${auth_url}/oauth/token`);
  const body = async () => {
    // Each attempt needs a new assertion, because the server accepts each one once.
    if ("sign" in proof) {
      form.set("client_assertion_type", ASSERTION_TYPE);
      form.set("client_assertion", await proof.sign(client_id, auth_url, travel.now()));
    }
    return String(form);
  };
  const { status, request_id, body: answer } = await send(travel, { method: "POST", url, headers, body }, deadline);
  const token = answer as Partial<TokenResponse> | undefined;
  if (typeof token?.access_token !== "string" || typeof token.expires_in !== "number") {
    throw new PestleError("The token server's answer holds no token.", { status, request_id });
  }
  return token as TokenResponse;
}
