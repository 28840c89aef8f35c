import { insertLetter, letterPlace } from "../../../db/operations/letters.ts";
import type { Deps } from "../../../deps.ts";
import { randomEventId } from "../../../random.ts";
import { withKeysOfNow } from "../../../vault/vault.ts";

export type PostedLetter = { to: string; subject: string; text: string };

/** Keeps a letter until the mail server takes it (`sendLetters`). Without a mail server there is nothing to keep. */
export async function postLetter(
  deps: Pick<Deps, "db" | "vault" | "mail" | "now">,
  letter: PostedLetter,
): Promise<void> {
  if (deps.mail === null) return;
  const letter_id = randomEventId();
  const content = Buffer.from(JSON.stringify(letter));
  await withKeysOfNow(deps, () =>
    insertLetter(deps.db, letter_id, deps.now(), deps.vault.seal(content, letterPlace(letter_id))),
  );
}
