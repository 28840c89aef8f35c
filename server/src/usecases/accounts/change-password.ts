import { setPassword } from "../../db/accounts/manage-people.ts";
import { deleteOtherSessions, loadForSignIn } from "../../db/accounts/sessions.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { transact } from "../write.ts";
import { AdminRefusal } from "./admin-refusal.ts";
import { checkNewPassword } from "./create-person.ts";
import type { SignedIn } from "./sign-in.ts";
import { takePersonTry } from "./take-tries.ts";

/** Requires the current password, because an unattended screen is not enough. Ends all other sessions. */
export async function changePassword(
  deps: Deps,
  session: SignedIn,
  given: { password: string; new_password: string },
  request_id: string,
): Promise<void> {
  const { person_id, session_hash } = session;
  const now = deps.now();
  const wasRight = takePersonTry(deps, "password", person_id);
  const person = await loadForSignIn(deps.db, session.email);
  if (person === undefined || (await deps.passwords.check(given.password, person.password_hash)) === "wrong") {
    throw new AdminRefusal("The current password is wrong.");
  }
  wasRight();
  checkNewPassword(deps, given.new_password, session);
  const password_hash = await deps.passwords.hash(given.new_password);
  await transact(deps, async (tx) => {
    await setPassword(tx, person_id, password_hash);
    await deleteOtherSessions(tx, person_id, session_hash);
    await insertAudit(tx, {
      at: now,
      person_id,
      role: null,
      account_id: null,
      action: "password_changed",
      address: session.address ?? null,
      subject: null,
      request_id,
    });
  });
}
