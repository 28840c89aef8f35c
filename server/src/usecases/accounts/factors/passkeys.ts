import {
  LONGEST_PASSKEY_NAME,
  MOST_PASSKEYS,
  type NewPasskeyAnswer,
  type NewPasskeyRequest,
  type PasskeyDescriptor,
  passkeyAlgorithms,
  type ShownPasskey,
} from "@pestle/contract";
import {
  deletePasskey,
  dropCodesWithoutFactor,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  renamePasskey,
} from "../../../db/accounts/passkeys.ts";
import type { Tx } from "../../../db/db.ts";
import type { Deps } from "../../../deps.ts";
import { type RelyingParty, relyingPartyOf } from "../../../domain/accounts/relying-party.ts";
import { writeAudit } from "../../operations/write-audit.ts";
import { transact } from "../../write.ts";
import { AdminRefusal } from "../admin-refusal.ts";
import { finishSignIn, type SignedIn } from "../sign-in.ts";
import { CHALLENGE_MS, newChallenge, readChallenge, takesChallenge } from "./passkey-challenge.ts";
import { createRecoveryCodes } from "./recovery-codes.ts";

const NO_PASSKEYS =
  "Passkeys need HTTPS and a host name. Ask the operator to set BASE_URL, or use an authenticator app.";

export function requireRelyingParty({ addresses }: Pick<Deps, "addresses">): RelyingParty {
  const party = relyingPartyOf(addresses.base_url);
  if (party === null) throw new AdminRefusal(NO_PASSKEYS);
  return party;
}

export const descriptorOf = ({ credential_key, transports }: PasskeyRow): PasskeyDescriptor => ({
  id: credential_key.toString("base64url"),
  type: "public-key",
  transports,
});

export const passkeysOf = async ({ db }: Pick<Deps, "db">, person_id: string): Promise<ShownPasskey[]> =>
  (await listPasskeys(db, person_id)).map(({ passkey_id, name, backed_up, created_at, last_used_at }) => ({
    ...{ passkey_id, name, backed_up },
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  }));

/** What the browser needs to create a passkey. A security key that cannot keep one still works as a second factor. */
export async function beginPasskey(deps: Deps, session: SignedIn): Promise<NewPasskeyRequest> {
  const { rp_id } = requireRelyingParty(deps);
  const known = await listPasskeys(deps.db, session.person_id);
  if (known.length >= MOST_PASSKEYS) throw new AdminRefusal(TOO_MANY);
  return {
    challenge: await newChallenge(deps, "register", session.session_id),
    rp: { id: rp_id, name: deps.config.OPERATOR_NAME },
    user: {
      id: Buffer.from(session.person_id).toString("base64url"),
      name: session.email,
      displayName: session.name,
    },
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: "public-key", alg })),
    timeout: CHALLENGE_MS,
    attestation: "none",
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
    excludeCredentials: known.map(descriptorOf),
  };
}

/** Registers it. The first factor comes with recovery codes, and completes a sign-in that waits for one. */
export async function addPasskey(
  deps: Deps,
  session: SignedIn,
  given: { name: string; credential: NewPasskeyAnswer },
  request_id: string,
): Promise<{ recovery_codes?: string[] | undefined }> {
  const party = requireRelyingParty(deps);
  const name = checkedName(given.name);
  const { credential } = given;
  const challenge = await readChallenge(deps, credential.response.clientDataJSON);
  if (challenge?.purpose !== "register" || challenge.session_id !== session.session_id) throw new AdminRefusal(FAILED);
  const expected = { ...party, challenge: challenge.text, user_verification: false };
  const created = await deps.passkeys.created(credential, expected).catch((error: Error) => {
    deps.log.warn({ request_id, fault: error.message.slice(0, 200) }, "passkey refused");
    throw new AdminRefusal(FAILED);
  });
  const { person_id } = session;
  const recovery_codes = await transact(deps, async (tx) => {
    if (!(await takesChallenge(deps, tx, challenge))) throw new AdminRefusal(FAILED);
    const credential_key = Buffer.from(credential.id, "base64url");
    const transports = [...(credential.response.transports ?? [])];
    const row = { ...created, credential_key, person_id, name, transports, now: deps.now() };
    if ((await insertPasskey(tx, row, MOST_PASSKEYS)) === 0) throw new AdminRefusal(TOO_MANY);
    await note(deps, tx, session, "passkey_added", request_id);
    return session.recovery_codes_left > 0 ? undefined : createRecoveryCodes(deps, tx, session, request_id);
  });
  await finishSignIn(deps, session, request_id);
  return { recovery_codes };
}

export const changePasskeyName = (
  deps: Deps,
  session: SignedIn,
  passkey_id: string,
  name: string,
  request_id: string,
): Promise<void> =>
  transact(deps, async (tx) => {
    if ((await renamePasskey(tx, session.person_id, passkey_id, checkedName(name))) === 0) throw new AdminRefusal(GONE);
    await note(deps, tx, session, "passkey_renamed", request_id);
  });

/** One that is gone stays gone. Recovery codes go with the last factor. */
export const removePasskey = (deps: Deps, session: SignedIn, passkey_id: string, request_id: string): Promise<void> =>
  transact(deps, async (tx) => {
    if ((await deletePasskey(tx, session.person_id, passkey_id)) === 0) return;
    await dropCodesWithoutFactor(tx, session.person_id);
    await note(deps, tx, session, "passkey_removed", request_id);
  });

const FAILED = "The passkey was not created. Try again.";
const TOO_MANY = `The passkey is registered already, or you have ${MOST_PASSKEYS} of them. Remove one first.`;
const GONE = "This passkey no longer exists.";
const NAME = new RegExp(`^[^\\p{Cc}]{1,${LONGEST_PASSKEY_NAME}}$`, "u");

function checkedName(name: string): string {
  if (NAME.test(name.trim())) return name.trim();
  throw new AdminRefusal(`The name of a passkey must have 1 to ${LONGEST_PASSKEY_NAME} characters.`);
}

const note = (
  deps: Deps,
  tx: Tx,
  session: SignedIn,
  action: "passkey_added" | "passkey_renamed" | "passkey_removed",
  request_id: string,
) => writeAudit({ ...deps, db: tx }, session, { account_id: null, action, subject: null }, request_id);
