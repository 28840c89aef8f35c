import type { OpenSession } from "@pestle/contract";
import { findPerson } from "../../db/accounts/people.ts";
import {
  deleteOtherSessions,
  deleteSessionById,
  deleteSessionsOf,
  listSessions,
  loadForSignIn,
  verifySession,
} from "../../db/accounts/sessions.ts";
import { mustUseSso } from "../../db/accounts/sso.ts";
import type { Queryable } from "../../db/db.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { type Looker, writeAudit } from "../operations/write-audit.ts";
import { transact } from "../write.ts";
import { AdminRefusal } from "./admin-refusal.ts";
import { IDLE_MS, LONGEST_SESSION_MS, type SignedIn, takesCode } from "./sign-in.ts";
import { takePersonTry } from "./take-tries.ts";

/** The live sessions of a person, newest activity first. `current` is the caller's own. */
export async function sessionsOf(
  { db, now }: { db: Queryable; now: () => Date },
  person_id: string,
  current: string | null,
): Promise<OpenSession[]> {
  const [idle_since, opened_since] = [IDLE_MS, LONGEST_SESSION_MS].map((ms) => new Date(now().getTime() - ms));
  const rows = await listSessions(db, person_id, idle_since!, opened_since!);
  return rows.map(({ created_at, last_seen_at, ...row }) => ({
    ...row,
    created_at: created_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    current: row.session_id === current,
  }));
}

/** Ends one of the person's own sessions, or with null all but the caller's. One that has ended stays ended. */
export async function endOwnSessions(
  deps: Deps,
  session: SignedIn,
  session_id: string | null,
  request_id: string,
): Promise<void> {
  const { person_id } = session;
  await transact(deps, async (tx) => {
    const ended =
      session_id === null
        ? await deleteOtherSessions(tx, person_id, session.session_hash)
        : await deleteSessionById(tx, person_id, session_id);
    if (ended === 0) return;
    const entry = { account_id: null, action: "sessions_ended" as const, subject: `person ${person_id}` };
    await writeAudit({ ...deps, db: tx }, session, entry, request_id);
  });
}

/** Ends all sessions of another person, as an admin may. */
export const endSessionsOf = (deps: Deps, by: Looker, person_id: string, request_id: string): Promise<number> =>
  transact(deps, async (tx) => {
    const ended = await deleteSessionsOf(tx, person_id);
    const entry = { account_id: null, action: "sessions_ended" as const, subject: `person ${person_id}` };
    await writeAudit({ ...deps, db: tx }, by, entry, request_id);
    return ended;
  });

/** The same at the command line of the server: one session by its id, or all of the person's. */
export async function endSessionsByEmail(
  { db }: Pick<Deps, "db">,
  email: string,
  session_id: string | null,
  now: Date,
): Promise<number> {
  return transact({ db }, async (tx) => {
    const { person_id } = await requirePerson(tx, email);
    const ended =
      session_id === null ? await deleteSessionsOf(tx, person_id) : await deleteSessionById(tx, person_id, session_id);
    if (session_id !== null && ended === 0) throw new AdminRefusal("This person has no such session.");
    const entry = { at: now, action: "sessions_ended" as const, subject: `person ${person_id}`, account_id: null };
    await insertAudit(tx, { ...entry, person_id: null, role: null, request_id: null });
    return ended;
  });
}

export async function requirePerson(db: Queryable, email: string): Promise<{ person_id: string }> {
  const person = await findPerson(db, email);
  if (person === undefined) throw new AdminRefusal("No user has this email address.");
  return person;
}

/** Whether the person gave a password or a second factor within the last minutes. */
export const isVerified = (
  { config, now }: Pick<Deps, "config" | "now">,
  { verified_at }: Pick<SignedIn, "verified_at">,
): boolean => verified_at !== null && now().getTime() - verified_at.getTime() <= config.STEP_UP_MINUTES * 60_000;

const NO_PASSWORD =
  "Your organization requires single sign-on, so your password does not count. Use a passkey or a code, or sign in again.";

/** Takes the password or a code again before a sensitive change. */
export async function verifyAgain(
  deps: Deps,
  session: SignedIn,
  given: { password: string | null; code: string | null },
  request_id: string,
): Promise<boolean> {
  const person = await loadForSignIn(deps.db, session.email);
  if (person === undefined) return false;
  if (given.code === null && (await mustUseSso(deps.db, person.person_id))) throw new AdminRefusal(NO_PASSWORD);
  const right =
    given.code !== null
      ? person.has_factor &&
        (await takesCode(deps, person, given.code, { address: session.address ?? null, request_id }))
      : await takesPassword(deps, session.person_id, given.password ?? "", person.password_hash);
  const entry = { account_id: null, subject: null, action: right ? "identity_confirmed" : "sign_in_refused" } as const;
  await writeAudit(deps, session, entry, request_id);
  if (right) await verifySession(deps.db, session.session_hash, deps.now());
  return right;
}

async function takesPassword(deps: Deps, person_id: string, password: string, kept: string): Promise<boolean> {
  const wasRight = takePersonTry(deps, "password", person_id);
  if ((await deps.passwords.check(password, kept)) === "wrong") return false;
  wasRight();
  return true;
}
