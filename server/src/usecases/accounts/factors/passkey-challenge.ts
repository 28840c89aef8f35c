import { createHash, randomBytes } from "node:crypto";
import type { PasskeyPurpose } from "@pestle/contract";
import { takeChallenge } from "../../../db/accounts/passkeys.ts";
import type { Tx } from "../../../db/db.ts";
import type { Deps } from "../../../deps.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";

/** How long a person can take. */
export const CHALLENGE_MS = 5 * 60_000;
const PLACE = "passkey challenge";

/** What the challenge is for. `session_id` is null for a sign-in, which has no session yet. */
export type Challenge = { purpose: PasskeyPurpose | "register"; session_id: string | null; expires_ms: number };

/**
 * A challenge that says what it is for, sealed. Nothing is stored until it is used, so that a flood of started sign-ins
 * fills nothing, and any process can finish one.
 */
export async function newChallenge(
  deps: Deps,
  purpose: Challenge["purpose"],
  session_id: string | null,
): Promise<string> {
  const expires_ms = deps.now().getTime() + CHALLENGE_MS;
  const content = { purpose, session_id, expires_ms, nonce: randomBytes(16).toString("base64url") };
  const sealed = await withKeysOfNow(deps, async () => deps.vault.seal(Buffer.from(JSON.stringify(content)), PLACE));
  return sealed.toString("base64url");
}

/** The challenge that a browser's answer is for; undefined if it is not ours or has expired. */
export async function readChallenge(
  deps: Deps,
  clientDataJSON: string,
): Promise<(Challenge & { text: string }) | undefined> {
  try {
    const { challenge: text } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8")) as {
      challenge: string;
    };
    const plain = await withKeysOfNow(deps, async () => deps.vault.open(Buffer.from(text, "base64url"), PLACE));
    const challenge = JSON.parse(plain.toString("utf8")) as Challenge;
    return challenge.expires_ms > deps.now().getTime() ? { ...challenge, text } : undefined;
  } catch {
    return undefined;
  }
}

/** Uses a challenge up. False if it was used before, in any process. */
export const takesChallenge = async (deps: Deps, tx: Tx, { text, expires_ms }: { text: string; expires_ms: number }) =>
  (await takeChallenge(tx, createHash("sha256").update(text).digest(), new Date(expires_ms), deps.now())) === 1;
