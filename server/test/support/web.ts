import { randomUUID } from "node:crypto";
import type { PersonLicense } from "@pestle/contract";
import { createPerson } from "../../src/usecases/accounts/create-person.ts";
import { hashPassword } from "../../src/vault/password-hash.ts";
import { TEST_PASSWORD_COST, type TestApp } from "./test-app.ts";

/** The answer to a page. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of many shapes
export type Told = { status: number; body: any; text: string; headers: Headers };

/** A user who is signed in with their own browser session. */
export type WebPerson = {
  person_id: string;
  role: string;
  /** The headers that the browser sends, for other kinds of requests. */
  headers: Record<string, string>;
  get(path: string): Promise<Told>;
  send(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<Told>;
};

const PASSWORD = "a long enough password";
let hash: string | undefined;

/** A license that never expires during a test. */
export const testLicense = { license_number: "RPH-2001", license_state: "CA", license_expires_on: "2199-12-31" };
/** Pharmacists and leads have a license; the other roles have none. */
export const licenseFor = (role: string): Partial<PersonLicense> =>
  role === "pharmacist" || role === "lead" ? testLicense : {};

/** A new user with this role, of a partner if its id is given. Pharmacists and leads are licensed by default. */
export async function webPerson(
  app: TestApp,
  role: string,
  partner_id: string | null = null,
  license: Partial<PersonLicense> = licenseFor(role),
): Promise<WebPerson> {
  const email = `${role}-${randomUUID()}@people.example`;
  hash ??= hashPassword(PASSWORD, TEST_PASSWORD_COST);
  const person = { email, name: `A ${role}`, role, partner_id, password_hash: hash, ...license };
  await app.deps.db.transaction((tx) => createPerson(tx, person, app.deps.now()));
  return signedIn(app, { email, password: PASSWORD });
}

/** What a person with an issued password chooses at the first sign-in. */
export const OWN_PASSWORD = "a password of my own";

/** Signs in with a password, without a second factor, and replaces an issued password. */
export async function signedIn(app: TestApp, given: { email: string; password: string }): Promise<WebPerson> {
  const signed = await ask(app, "POST", "/session", given, {});
  if (signed.status !== 200) throw new Error(`${signed.status}: ${signed.text}`);
  const { person_id, role, csrf_token, outcome } = signed.body;
  const headers = { cookie: signed.headers.get("set-cookie")!.split(";")[0]!, "x-csrf-token": csrf_token };
  if (outcome === "needs_password") {
    const body = { password: given.password, new_password: OWN_PASSWORD };
    const chosen = await ask(app, "POST", "/session/password", body, headers);
    if (chosen.body.outcome !== "signed_in") throw new Error(`${chosen.status}: ${chosen.text}`);
  } else if (outcome !== "signed_in") throw new Error(signed.text);
  return {
    person_id,
    role,
    headers,
    get: (path) => ask(app, "GET", path, undefined, headers),
    send: (method, path, body = {}) => ask(app, method, path, method === "DELETE" ? undefined : body, headers),
  };
}

async function ask(
  app: TestApp,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Told> {
  const answer = await fetch(`${app.addresses.base_url}/web${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = answer.headers.get("content-type")?.includes("json") ?? false;
  return { status: answer.status, body: json ? JSON.parse(text) : undefined, text, headers: answer.headers };
}
