import type { PasskeyAnswer, PasskeyPurpose, PasskeyRequest } from "@pestle/contract";
import { findPasskey, listPasskeys, notePasskeyUse, type UsablePasskey } from "../../../db/accounts/passkeys.ts";
import { type SessionPlace, verifySession } from "../../../db/accounts/sessions.ts";
import { mustUseSso } from "../../../db/accounts/sso.ts";
import type { Deps } from "../../../deps.ts";
import { writeAudit } from "../../operations/write-audit.ts";
import { transact } from "../../write.ts";
import { AdminRefusal } from "../admin-refusal.ts";
import { auditRefusedSignIn, finishSignIn, type OpenedSession, openSession, type SignedIn } from "../sign-in.ts";
import { takePasskeyTries } from "../take-tries.ts";
import { CHALLENGE_MS, type Challenge, newChallenge, readChallenge, takesChallenge } from "./passkey-challenge.ts";
import { descriptorOf, requireRelyingParty } from "./passkeys.ts";

/** After the password, possession is enough. Alone or on an open page, the authenticator must check who uses it. */
const verifies = (purpose: PasskeyPurpose): boolean => purpose !== "second_factor";

/** Whether a session, or its absence, allows this use of a passkey. */
const fits = (purpose: PasskeyPurpose, session: SignedIn | undefined): boolean =>
  purpose === "sign_in" || (purpose === "second_factor" ? session?.needs === "code" : session?.complete === true);

/** What the browser needs to use a passkey. A sign-in names no person, so it reveals none. */
export async function beginUse(
  deps: Deps,
  purpose: PasskeyPurpose,
  session: SignedIn | undefined,
): Promise<PasskeyRequest> {
  const { rp_id } = requireRelyingParty(deps);
  if (!fits(purpose, session)) throw new AdminRefusal("Your session has changed. Reload the page.");
  const signing_in = purpose === "sign_in";
  return {
    challenge: await newChallenge(deps, purpose, signing_in ? null : session!.session_id),
    rpId: rp_id,
    timeout: CHALLENGE_MS,
    userVerification: verifies(purpose) ? "required" : "discouraged",
    allowCredentials: signing_in ? [] : (await listPasskeys(deps.db, session!.person_id)).map(descriptorOf),
  };
}

export type UsedPasskey =
  /** `opened` only for a sign-in. The other uses change the caller's session. */
  { outcome: "taken"; opened: OpenedSession | null } | { outcome: "refused" } | { outcome: "sso_only" };

/** Takes the authenticator's answer to a challenge, which says what it is for. */
export async function usePasskey(
  deps: Deps,
  credential: PasskeyAnswer,
  session: SignedIn | undefined,
  place: SessionPlace,
  request_id: string,
): Promise<UsedPasskey> {
  const wasRight = takePasskeyTries(deps, place.address);
  const passkey = await findPasskey(deps.db, Buffer.from(credential.id, "base64url"));
  const challenge = await readChallenge(deps, credential.response.clientDataJSON);
  const purpose = challenge?.purpose;
  if (
    passkey === undefined ||
    challenge === undefined ||
    purpose === undefined ||
    purpose === "register" ||
    !isFor(challenge, purpose, passkey, credential, session) ||
    !(await proves(deps, credential, passkey, challenge, purpose, request_id))
  ) {
    await auditRefusedSignIn(deps, passkey?.person_id ?? session?.person_id ?? null, place, request_id);
    return { outcome: "refused" };
  }
  wasRight();
  if (purpose === "sign_in") {
    if (await mustUseSso(deps.db, passkey.person_id)) {
      await auditRefusedSignIn(deps, passkey.person_id, place, request_id);
      return { outcome: "sso_only" };
    }
    const person = { person_id: passkey.person_id, has_factor: true };
    return { outcome: "taken", opened: await openSession(deps, person, "passkey", "given", place, request_id) };
  }
  if (purpose === "second_factor") await finishSignIn(deps, session!, request_id);
  else {
    const entry = { account_id: null, subject: null, action: "identity_confirmed" as const };
    await writeAudit(deps, session!, entry, request_id);
    await verifySession(deps.db, session!.session_hash, deps.now());
  }
  return { outcome: "taken", opened: null };
}

/** Whether this passkey may answer this challenge in this session. */
function isFor(
  challenge: Challenge,
  purpose: PasskeyPurpose,
  passkey: UsablePasskey,
  { response: { userHandle } }: PasskeyAnswer,
  session: SignedIn | undefined,
): boolean {
  const handle = userHandle ? Buffer.from(userHandle, "base64url").toString("utf8") : null;
  if (handle !== null && handle !== passkey.person_id) return false;
  if (purpose === "sign_in") return handle !== null;
  return (
    fits(purpose, session) && session!.session_id === challenge.session_id && session!.person_id === passkey.person_id
  );
}

/** Verifies the signature, then uses up challenge and counter, so that no other request can. */
async function proves(
  deps: Deps,
  credential: PasskeyAnswer,
  passkey: UsablePasskey,
  challenge: Challenge & { text: string },
  purpose: PasskeyPurpose,
  request_id: string,
): Promise<boolean> {
  const expected = {
    ...requireRelyingParty(deps),
    challenge: challenge.text,
    user_verification: verifies(purpose),
  };
  try {
    const state = await deps.passkeys.used(credential, passkey, expected);
    return await transact(deps, async (tx) => {
      if (!(await takesChallenge(deps, tx, challenge))) return false;
      return (await notePasskeyUse(tx, passkey.passkey_id, state, deps.now())) === 1;
    });
  } catch (error) {
    // The library's sentence names the check that failed. It can quote the answer, so it is cut.
    deps.log.warn({ request_id, fault: (error as Error).message.slice(0, 200) }, "passkey refused");
    return false;
  }
}
