import { ASSERTION_TYPE } from "@pestle/contract";
import { isTypeInUtf8 } from "../values/http-headers.ts";
import { OAuthRefusal, refusedForm } from "../values/refusals.ts";
import { type Assertion, readAssertion } from "./client-assertion.ts";

/** The credentials that a client presented. */
type PresentedSecret = { client_id: string; client_secret: string };
export type PresentedClient = PresentedSecret | { client_id: string; assertion: Assertion };

/** Account and credential. No other text can be a client id, so no limiter and no cache ever sees one. */
export const CLIENT_ID = /^([a-z0-9]{12})-([a-z0-9]{8})$/;

/** Parses a form body strictly: a repeated parameter or a broken escape is `invalid_request` (RFC 6749, 3.2). */
export function parseForm(contentType: string | undefined, body: string): Map<string, string> {
  if (!isTypeInUtf8(contentType, "application/x-www-form-urlencoded")) throw refusedForm("not_a_form");
  const form = new Map<string, string>();
  for (const pair of body.split("&").filter((part) => part !== "")) {
    const [name, ...value] = pair.split("=");
    const key = formDecode(name ?? "");
    const decoded = formDecode(value.join("="));
    if (key === undefined || decoded === undefined || form.has(key)) throw refusedForm("parameter_repeated");
    form.set(key, decoded);
  }
  return form;
}

/**
 * Basic, form or assertion, never two of them (spec, Authentication 4). With Basic or an assertion, the body can repeat
 * the same client_id.
 */
export function presentedClient(authorization: string | undefined, form: Map<string, string>): PresentedClient {
  // RFC 6749, 3.2: a parameter without a value counts as omitted.
  const client_id = form.get("client_id") || undefined;
  const client_secret = form.get("client_secret") || undefined;
  const client_assertion = form.get("client_assertion") || undefined;
  const assertion_type = form.get("client_assertion_type") || undefined;
  if (client_assertion !== undefined || assertion_type !== undefined) {
    const other = authorization !== undefined || client_secret !== undefined;
    if (other || client_assertion === undefined || assertion_type !== ASSERTION_TYPE) {
      throw refusedForm("assertion_incomplete");
    }
    const assertion = readAssertion(client_assertion);
    if (client_id !== undefined && client_id !== assertion.client_id) throw refusedForm("two_clients");
    return { client_id: assertion.client_id, assertion };
  }
  if (authorization === undefined) {
    if (client_id === undefined || client_secret === undefined) {
      throw refusedForm("credentials_missing", "invalid_client");
    }
    return { client_id, client_secret };
  }
  if (client_secret !== undefined) throw refusedForm("two_credentials");
  const basic = parseBasic(authorization);
  if (client_id !== undefined && client_id !== basic.client_id) throw refusedForm("two_clients");
  return basic;
}

/** Only one grant is supported (spec, Authentication 1). Omitting it is a malformed request. */
export function requireClientCredentialsGrant(form: Map<string, string>): void {
  const grant_type = form.get("grant_type");
  if (grant_type === undefined || grant_type === "") throw refusedForm("grant_type_missing");
  if (grant_type !== "client_credentials") throw new OAuthRefusal("unsupported_grant_type");
}

/**
 * Returns the scopes of a token (spec, Authentication 5). A credential with scopes must request some of its own. A
 * credential without scopes must not request any.
 */
export function grantedScopes(allowed: readonly string[], requested: string | undefined): string[] {
  const names = [...new Set((requested ?? "").split(" ").filter((name) => name !== ""))];
  if (allowed.length === 0 && names.length > 0) throw refusedForm("scope_unwanted", "invalid_scope");
  if (allowed.length > 0 && names.length === 0) throw refusedForm("scope_missing", "invalid_scope");
  if (names.some((name) => !allowed.includes(name))) throw refusedForm("scope_not_granted", "invalid_scope");
  return names;
}

function parseBasic(authorization: string): PresentedSecret {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  const pair = encoded === undefined ? undefined : decodeBase64(encoded);
  const colon = pair?.indexOf(":") ?? -1;
  if (pair === undefined || colon < 0) throw refusedForm("basic_malformed", "invalid_client");
  // RFC 6749, 2.3.1: both parts are form-encoded before they are joined.
  const client_id = formDecode(pair.slice(0, colon));
  const client_secret = formDecode(pair.slice(colon + 1));
  if (client_id === undefined || client_secret === undefined) throw refusedForm("basic_malformed", "invalid_client");
  return { client_id, client_secret };
}

function decodeBase64(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}

function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
