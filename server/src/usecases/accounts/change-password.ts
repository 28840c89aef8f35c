import { setPassword } from "../../db/accounts/manage-people.ts";
import { findPerson } from "../../db/accounts/people.ts";
import { deleteOtherSessions, deleteSessionsOf, loadForSignIn } from "../../db/accounts/sessions.ts";
import { deleteLinksOf } from "../../db/accounts/sign-in-links.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { transact } from "../write.ts";
import { AdminRefusal } from "./admin-refusal.ts";
import { checkNewPassword } from "./create-person.ts";
import type { SignedIn } from "./sign-in.ts";
import { takePersonTry, takeSignInTries } from "./take-tries.ts";

/** Requires the current password, because an unattended screen is not enough. Ends all other sessions. */
export async function changePassword(
  deps: Deps,
  session: SignedIn,
  given: { password: string; new_password: string },
  request_id: string,
): Promise<void> {
  const { person_id } = session;
  const wasRight = takePersonTry(deps, "password", person_id);
  const person = await loadForSignIn(deps.db, session.email);
  if (person === undefined || (await deps.passwords.check(given.password, person.password_hash)) === "wrong") {
    throw new AdminRefusal("The current password is wrong.");
  }
  wasRight();
  if (given.new_password === given.password)
    throw new AdminRefusal("Choose a password that differs from the current one.");
  checkNewPassword(deps, given.new_password, session);
  const password_hash = await deps.passwords.hash(given.new_password);
  await savePassword(deps, person_id, password_hash, { session, request_id });
}

/** The same at the command line, without a session. It ends all sessions of the person. */
export async function changePasswordByEmail(
  deps: Deps,
  email: string,
  given: { password: string; new_password: string },
): Promise<void> {
  const wasRight = takeSignInTries(deps, email, "command line");
  const person = await findPerson(deps.db, email);
  const found = await deps.passwords.check(given.password, person?.password_hash ?? null);
  if (person === undefined || found === "wrong") throw new AdminRefusal("The email or the current password is wrong.");
  wasRight();
  checkNewPassword(deps, given.new_password, person);
  const password_hash = await deps.passwords.hash(given.new_password);
  await savePassword(deps, person.person_id, password_hash, null);
}

/** Saves a password that its owner chose, and ends the person's sessions but the one that is given. */
const savePassword = (
  deps: Deps,
  person_id: string,
  password_hash: string,
  by: { session: SignedIn; request_id: string } | null,
): Promise<void> =>
  transact(deps, async (tx) => {
    await setPassword(tx, person_id, password_hash, false);
    await deleteLinksOf(tx, person_id);
    if (by === null) await deleteSessionsOf(tx, person_id);
    else await deleteOtherSessions(tx, person_id, by.session.session_hash);
    const entry = { at: deps.now(), person_id, role: null, account_id: null, subject: null };
    const from = { address: by?.session.address ?? null, request_id: by?.request_id ?? null };
    await insertAudit(tx, { ...entry, ...from, action: "password_changed" });
  });
