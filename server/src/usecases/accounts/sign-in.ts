import { createHash, randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { NewSecondFactor, SignInAnswer, WebSession } from "@pestle/contract";
import type { Config } from "../../config.ts";
import {
  completeSession,
  confirmTotp,
  deleteSession,
  insertSession,
  loadForSignIn,
  loadSession,
  noteSignIn,
  type OpenedWith,
  renewHash,
  type SessionPlace,
  type SessionRow,
  type SignInRow,
  saveTotp,
  takeTotpStep,
  totpPlace,
  touchSession,
} from "../../db/accounts/sessions.ts";
import { mustUseSso } from "../../db/accounts/sso.ts";
import type { Queryable } from "../../db/db.ts";
import { type AuditEntry, insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { currentLicense } from "../../domain/accounts/license.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import { base32, totpAddress, totpStep } from "../../vault/totp.ts";
import { withKeysOfNow } from "../../vault/vault.ts";
import { transact } from "../write.ts";
import { createRecoveryCodes, isRecoveryCode, usesRecoveryCode } from "./factors/recovery-codes.ts";
import { takePersonTry, takeSignInTries } from "./take-tries.ts";

/** An idle person is signed out, and no session lasts longer than a shift. */
export const IDLE_MS = 15 * 60_000;
export const LONGEST_SESSION_MS = 12 * 3600_000;
/** Updates `last_seen_at` at most this often, so that most requests write nothing. */
const SEEN_EVERY_MS = 30_000;

/** The signed-in person. The browser sends `csrf_token` with every change. */
export type SignedIn = Omit<SessionRow, "created_at" | "last_seen_at" | "license_number" | "license_expires_on"> & {
  session_hash: Buffer;
  /** What is missing until the session can do anything else. `complete` means that nothing is. */
  needs: WebSession["needs"];
  /** The number of the person's license if it is current. */
  license: string | null;
  /** The client's address, for the audit log; absent on the command line. */
  address?: string;
};
/** The command line is a place without an address. */
const addressIn = ({ address }: SessionPlace) => (isIP(address) === 0 ? null : address);
const addressOf = ({ address }: Pick<SignedIn, "address">) => address ?? null;
export type SignIn =
  | { outcome: SignInAnswer["outcome"]; cookie: string; session: SignedIn }
  /** `sso_only`: the password is right, but the person must use single sign-on. */
  | { outcome: "sso_only" }
  | { outcome: "refused" };
export type OpenedSession = Extract<SignIn, { cookie: string }>;

/** What it takes to look up a session. */
type SessionDeps = Pick<Deps, "config" | "db" | "now">;

const sessionHash = (cookie: string): Buffer => createHash("sha256").update(cookie).digest();

/**
 * Signs in with email address and password, plus the second factor's code in the same or the next step. A wrong attempt
 * takes the same time for known and unknown users. After a few of them, even correct attempts are refused for a while. A
 * hash of an older version is renewed.
 */
export async function signIn(
  deps: Deps,
  given: { email: string; password: string; code: string | null },
  place: SessionPlace,
  request_id: string,
): Promise<SignIn> {
  const wasRight = takeSignInTries(deps, given.email, place.address);
  const person = await loadForSignIn(deps.db, given.email);
  const password = await deps.passwords.check(given.password, person?.password_hash ?? null);
  const fits = password !== "wrong" && person !== undefined;
  const by_code = fits && given.code !== null && person.has_factor;
  if (!fits || (by_code && !(await takesCode(deps, person, given.code!, { address: addressIn(place), request_id })))) {
    await auditRefusedSignIn(deps, person?.person_id ?? null, place, request_id);
    return { outcome: "refused" };
  }
  wasRight();
  if (password === "cheap") {
    await renewHash(deps.db, person.person_id, person.password_hash, await deps.passwords.hash(given.password));
  }
  if (await mustUseSso(deps.db, person.person_id)) {
    await auditRefusedSignIn(deps, person.person_id, place, request_id);
    return { outcome: "sso_only" };
  }
  return openSession(deps, person, "password", by_code ? "given" : "still needed", place, request_id);
}

/** Opens a session for a person who has proved who they are, complete or waiting for the second factor. */
export async function openSession(
  deps: Deps,
  person: Pick<SignInRow, "person_id" | "has_factor">,
  opened_with: OpenedWith,
  second_factor: "given" | "still needed",
  place: SessionPlace,
  request_id: string,
): Promise<OpenedSession> {
  const now = deps.now();
  const complete = second_factor === "given" || (!person.has_factor && !totpRequired(deps));
  const cookie = randomBytes(32).toString("base64url");
  const session_hash = sessionHash(cookie);
  const csrf_token = randomBytes(24).toString("base64url");
  await insertSession(deps.db, {
    session_hash,
    person_id: person.person_id,
    csrf_token,
    complete,
    now,
    opened_with,
    ...place,
  });
  if (complete) await noteSignedIn(deps, person.person_id, addressIn(place), request_id);
  const session = signedIn(deps, (await loadSession(deps.db, session_hash))!, session_hash);
  return { outcome: outcomeOf(session), cookie, session };
}

export const auditRefusedSignIn = (deps: Deps, person_id: string | null, place: SessionPlace, request_id: string) =>
  audit(deps, { person_id, action: "sign_in_refused", address: addressIn(place), request_id });

/** Whether people need a second factor. `auto`: optional in the demo. */
export const secondFactorOf = ({ SECOND_FACTOR }: Config, demo: boolean): Deps["second_factor"] =>
  SECOND_FACTOR === "auto" ? (demo ? "offered" : "required") : SECOND_FACTOR;

/** Optional in the demo; required for a pharmacy with real patient data. */
export const totpRequired = ({ second_factor }: Pick<Deps, "second_factor">): boolean => second_factor === "required";

/**
 * The session for a cookie, complete or not; undefined if there is none or it timed out. `present`: a person made the
 * request, so it counts as activity.
 */
export async function findSession(deps: SessionDeps, cookie: string, present = true): Promise<SignedIn | undefined> {
  return liveSession(deps, sessionHash(cookie), present);
}

/** The same for the stored hash of a cookie. */
export async function liveSession(
  deps: SessionDeps,
  session_hash: Buffer,
  present: boolean,
): Promise<SignedIn | undefined> {
  const session = await loadSession(deps.db, session_hash);
  if (session === undefined) return undefined;
  const now_ms = deps.now().getTime();
  const idle_ms = now_ms - session.last_seen_at.getTime();
  if (idle_ms > IDLE_MS || now_ms - session.created_at.getTime() > LONGEST_SESSION_MS) {
    await deleteSession(deps.db, session_hash);
    return undefined;
  }
  if (present && idle_ms > SEEN_EVERY_MS) await touchSession(deps.db, session_hash, new Date(now_ms));
  return signedIn(deps, session, session_hash);
}

function signedIn(deps: SessionDeps, row: SessionRow, session_hash: Buffer): SignedIn {
  const needs = neededBy(row);
  const license = currentLicense(row, dateIn(deps.config.TIME_ZONE, deps.now()));
  // Every guard reads `complete`, so a person with an issued password can do nothing before changing it.
  return { ...row, session_hash, needs, complete: needs === null, license };
}

/** An issued password is no risk to a session that was opened without it, and its owner may not even know it. */
function neededBy(row: SessionRow): WebSession["needs"] {
  if (!row.complete) return row.totp_on || row.passkeys > 0 ? "code" : "set_up";
  return row.must_change_password && row.opened_with === "password" ? "password" : null;
}

export const outcomeOf = ({ needs }: Pick<SignedIn, "needs">): SignInAnswer["outcome"] =>
  needs === null ? "signed_in" : `needs_${needs}`;

export async function signOut(deps: Deps, session: SignedIn, request_id: string): Promise<void> {
  await deleteSession(deps.db, session.session_hash);
  await audit(deps, { person_id: session.person_id, action: "sign_out", address: addressOf(session), request_id });
}

/** A new authenticator secret, active after its first code. Undefined if the person already has an active one. */
export async function beginTotp(
  deps: Deps,
  { person_id, email }: Pick<SignedIn, "person_id" | "email">,
): Promise<NewSecondFactor | undefined> {
  const secret = randomBytes(20);
  const saved = await withKeysOfNow(deps, () =>
    saveTotp(deps.db, person_id, deps.vault.seal(secret, totpPlace(person_id))),
  );
  if (saved === 0) return undefined;
  const address = totpAddress(secret, email, deps.config.OPERATOR_NAME);
  return { secret: base32(secret), address, qr_code: await deps.documents.qrPicture(address) };
}

/** `recovery_codes`: new ones, if the code activated the person's first factor. */
export type GivenCode = { taken: boolean; recovery_codes?: string[] | undefined };

/** Takes the second factor's code: completes the session and activates a new factor. */
export async function giveCode(deps: Deps, session: SignedIn, code: string, request_id: string): Promise<GivenCode> {
  const person = await loadForSignIn(deps.db, session.email);
  const from = { address: addressOf(session), request_id };
  // With only a password, a new authenticator must not replace a factor that exists.
  const may_set_up = session.needs !== "code" && person?.totp_confirmed_at === null && !isRecoveryCode(code);
  if (person === undefined || !(await takesCode(deps, person, code, from, may_set_up))) {
    await audit(deps, { person_id: session.person_id, action: "sign_in_refused", ...from });
    return { taken: false };
  }
  const given: GivenCode = { taken: true };
  if (may_set_up) {
    given.recovery_codes = await transact(deps, async (tx) => {
      await confirmTotp(tx, person.person_id, deps.now());
      const entry = { person_id: person.person_id, action: "second_factor_set_up" as const };
      await audit({ ...deps, db: tx }, { ...entry, ...from });
      return session.recovery_codes_left > 0 ? undefined : createRecoveryCodes(deps, tx, session, request_id);
    });
  }
  await finishSignIn(deps, session, request_id);
  return given;
}

/** Completes a session that waits for the second factor, which the person has just given or set up. */
export async function finishSignIn(deps: Deps, session: SignedIn, request_id: string): Promise<void> {
  if (session.needs !== "code" && session.needs !== "set_up") return;
  await completeSession(deps.db, session.session_hash, deps.now());
  await noteSignedIn(deps, session.person_id, addressOf(session), request_id);
}

/** Limits tries per person, for every path and address that the code comes from. */
export async function takesCode(
  deps: Deps,
  person: SignInRow,
  code: string,
  from: { address: string | null; request_id: string },
  /** Whether the first code of a new authenticator counts. */
  may_set_up = false,
): Promise<boolean> {
  const { person_id, totp_sealed, totp_confirmed_at } = person;
  const wasRight = takePersonTry(deps, "code", person_id);
  const taken = isRecoveryCode(code)
    ? await usesRecoveryCode(deps, person_id, code, from)
    : totp_sealed !== null &&
      (totp_confirmed_at !== null || may_set_up) &&
      (await takesTotp(deps, { ...person, totp_sealed }, code));
  if (taken) wasRight();
  return taken;
}

async function takesTotp(deps: Deps, person: SignInRow & { totp_sealed: Buffer }, code: string): Promise<boolean> {
  const { person_id, totp_sealed, totp_last_step } = person;
  const secret = await withKeysOfNow(deps, async () => deps.vault.open(totp_sealed, totpPlace(person_id)));
  const step = totpStep(secret, code, deps.now(), totp_last_step);
  return step !== null && (await takeTotpStep(deps.db, person_id, step)) === 1;
}

async function noteSignedIn(deps: Deps, person_id: string, address: string | null, request_id: string): Promise<void> {
  await noteSignIn(deps.db, person_id, deps.now());
  await audit(deps, { person_id, action: "sign_in", address, request_id });
}

type SignInEntry = Pick<AuditEntry, "person_id" | "action" | "request_id"> & { address: string | null };
const audit = (deps: Pick<Deps, "now"> & { db: Queryable }, entry: SignInEntry) =>
  insertAudit(deps.db, { at: deps.now(), role: null, account_id: null, subject: null, ...entry });
