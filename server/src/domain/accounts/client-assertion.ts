import { type AssertionAlgorithm, assertionAlgorithms, LONGEST_ASSERTION_S } from "@pestle/contract";
import { refusedClient } from "../values/refusals.ts";
import { isSentObject } from "../values/unknown-fields.ts";

/** A client assertion (RFC 7523), read but not yet verified. */
export type Assertion = {
  client_id: string;
  algorithm: AssertionAlgorithm;
  /** The key that the client names; any of its keys if it names none. */
  kid: string | undefined;
  /** The signed text and its signature in base64url. */
  signed: string;
  signature: string;
  claims: Readonly<Record<string, unknown>>;
};

const JWS = /^([A-Za-z0-9_-]{1,2000})\.([A-Za-z0-9_-]{1,4000})\.([A-Za-z0-9_-]{1,1400})$/;
/** Clocks differ. */
const SKEW_S = 30;
const LONGEST_ID = 255;

/** Reads the JWT. `none` and HMAC are not in the list of algorithms, so they never reach a key. */
export function readAssertion(text: string): Assertion {
  const [, header_part = "", claims_part = "", signature = ""] = JWS.exec(text) ?? [];
  const header = jsonOf(header_part);
  const claims = jsonOf(claims_part);
  // RFC 7515, 4.1.11: a critical extension that we do not know makes the JWS invalid.
  if (header === undefined || claims === undefined || header["crit"] !== undefined)
    throw refusedClient("assertion_form");
  const algorithm = assertionAlgorithms.find((one) => one === header["alg"]);
  if (algorithm === undefined) throw refusedClient("assertion_algorithm");
  const { sub } = claims;
  if (typeof sub !== "string" || sub === "" || claims["iss"] !== sub) throw refusedClient("assertion_client");
  const kid = typeof header["kid"] === "string" ? header["kid"] : undefined;
  return { client_id: sub, algorithm, kid, signed: `${header_part}.${claims_part}`, signature, claims };
}

/**
 * Checks the claims and returns what makes the assertion unique. All audiences must be ours, because an assertion that
 * other servers accept too could be replayed by one of them.
 */
export function checkClaims(
  { claims }: Pick<Assertion, "claims">,
  issuer: string,
  now: Date,
): { jti: string; expires_at: Date } {
  const { aud, exp, nbf, iat, jti } = claims;
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  const ours = [issuer, `${issuer}/oauth/token`];
  if (audiences.length === 0 || !audiences.every((one) => ours.includes(one as string))) {
    throw refusedClient("assertion_audience");
  }
  const now_s = now.getTime() / 1000;
  const reached = (time: unknown) => time === undefined || (isTime(time) && time <= now_s + SKEW_S);
  if (!isTime(exp) || exp <= now_s || exp > now_s + LONGEST_ASSERTION_S + SKEW_S || !reached(nbf) || !reached(iat)) {
    throw refusedClient("assertion_time");
  }
  if (typeof jti !== "string" || jti.length === 0 || jti.length > LONGEST_ID) throw refusedClient("assertion_id");
  return { jti, expires_at: new Date(exp * 1000) };
}

const isTime = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

function jsonOf(part: string): Record<string, unknown> | undefined {
  try {
    const bytes = Uint8Array.from(atob(part.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isSentObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
