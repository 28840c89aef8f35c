import { withinEdits } from "../values/address/city-name.ts";

/** Single known words by their first letter, to find the word that a misspelled one was meant to be. */
export type Spellings = ReadonlyMap<string, readonly string[]>;

/** Too many names are one letter away from a short word. */
const SHORTEST = 5;
/** A longer word is not a name. */
const LONGEST = 40;
/** From this length on, two edits still leave one likely name. */
const LONG = 9;

export function spellingsOf(phrases: Iterable<string>): Spellings {
  const words = new Map<string, string[]>();
  for (const phrase of phrases) {
    if (phrase.length < SHORTEST - 1 || phrase.includes(" ")) continue;
    const first = phrase[0] as string;
    const list = words.get(first);
    if (list === undefined) words.set(first, [phrase]);
    else list.push(phrase);
  }
  return words;
}

/**
 * The known words nearest to a misspelled one, all at the same distance; empty if none is near. The first letter must be
 * right: people rarely miss it, and names that differ in it are different drugs.
 */
export function nearestWords(spellings: Spellings, word: string): readonly string[] {
  if (word.length < SHORTEST || word.length > LONGEST || !/^[a-z]+$/.test(word)) return [];
  const candidates = spellings.get(word[0] as string) ?? [];
  const most = word.length >= LONG ? 2 : 1;
  for (let edits = 1; edits <= most; edits++) {
    const found = candidates.filter((known) => withinEdits(word, known, edits));
    if (found.length > 0) return found;
  }
  return [];
}
