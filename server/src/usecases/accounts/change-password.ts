import { setPassword } from "../../db/accounts/manage-people.ts";
import { deleteOtherSessions, loadForSignIn } from "../../db/accounts/sessions.ts";
import { insertAudit } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";
import { transact } from "../write.ts";
import { AdminRefusal } from "./admin-refusal.ts";
import { hashPasswordAside, passwordMatches } from "./create-person.ts";
import type { SignedIn } from "./sign-in.ts";
import { FEW_TRIES, takeTries } from "./take-tries.ts";

/** Requires the current password, because an unattended screen is not enough. Ends all other sessions. */
export async function changePassword(
  deps: Deps,
  session: SignedIn,
  given: { password: string; new_password: string },
  request_id: string,
): Promise<void> {
  const { person_id, session_hash } = session;
  const now = deps.now();
  const wasRight = takeTries(deps, now, [["", `password ${person_id}`, FEW_TRIES]]);
  const person = await loadForSignIn(deps.db, session.email);
  if (person === undefined || !(await passwordMatches(given.password, person.password_hash))) {
    throw new AdminRefusal("The current password is wrong.");
  }
  wasRight();
  const password_hash = await hashPasswordAside(given.new_password);
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
