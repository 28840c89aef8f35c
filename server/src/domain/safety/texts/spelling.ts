import { withinEdits } from "../../values/text.ts";

/** Single known words by their first letter, to find the word that a misspelled one was meant to be. */
export type Spellings = ReadonlyMap<string, readonly Spelling[]>;
/** `letters`: one bit per letter that the word has, to skip most words without comparing them. */
type Spelling = { readonly word: string; readonly letters: number };

/** Too many names are one letter away from a short word. */
const SHORTEST = 5;
/** A longer word is not a name. */
const LONGEST = 40;
/** From this length on, two edits still leave one likely name. */
const LONG = 9;

export function spellingsOf(phrases: Iterable<string>): Spellings {
  const words = new Map<string, Spelling[]>();
  for (const phrase of phrases) {
    if (phrase.length < SHORTEST - 1 || phrase.includes(" ")) continue;
    const first = phrase[0] as string;
    const spelling = { word: phrase, letters: lettersOf(phrase) };
    const list = words.get(first);
    if (list === undefined) words.set(first, [spelling]);
    else list.push(spelling);
  }
  return words;
}

/**
 * The known words nearest to a misspelled one, all at the same distance; empty if none is near. The first letter must be
 * right: people rarely miss it, and names that differ in it are different drugs.
 */
export function nearestWords(spellings: Spellings, word: string): readonly string[] {
  if (word.length < SHORTEST || word.length > LONGEST || !/^[a-z]+$/.test(word)) return [];
  const most = word.length >= LONG ? 2 : 1;
  const letters = lettersOf(word);
  const candidates = (spellings.get(word[0] as string) ?? []).filter(
    // An edit adds at most one letter and takes at most one away.
    (known) => Math.abs(known.word.length - word.length) <= most && bitsOf(known.letters ^ letters) <= 2 * most,
  );
  for (let edits = 1; edits <= most; edits++) {
    const found = candidates.filter((known) => withinEdits(word, known.word, edits));
    if (found.length > 0) return found.map((known) => known.word);
  }
  return [];
}

function lettersOf(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << (word.charCodeAt(at) & 31);
  return letters;
}

function bitsOf(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
