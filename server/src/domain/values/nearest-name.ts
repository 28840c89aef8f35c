import { withinEdits } from "./text.ts";

/** A longer text is not a misspelled name. */
const LONGEST = 40;
/** No list of names is longer. */
const MOST_NAMES = 100;

/**
 * The one of our own names that resembles a sent text most; undefined if none does. Case and punctuation do not count.
 * Only a long text may differ in two letters, because too many names are near a short one.
 */
export function nearestName(sent: string, names: readonly string[]): string | undefined {
  if (sent.length > LONGEST) return undefined;
  const letters = lettersOf(sent);
  const most = letters.length < 4 ? 0 : letters.length < 8 ? 1 : 2;
  const candidates = names.slice(0, MOST_NAMES).map((name) => ({ name, letters: lettersOf(name) }));
  for (let edits = 0; edits <= most; edits++) {
    const found = candidates.find((one) => letters !== "" && withinEdits(letters, one.letters, edits));
    if (found !== undefined) return found.name;
  }
  return undefined;
}

const lettersOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
