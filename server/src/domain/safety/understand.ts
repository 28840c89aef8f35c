import { medicalWords } from "../values/text.ts";
import { type SafetyData, type Substance, strangeSubstance } from "./data.ts";
import type { ExcipientRow } from "./rows.ts";

/** The meaning of a line of free text. */
export type Understood = {
  substances: readonly Substance[];
  excipients: readonly ExcipientRow[];
  /** It states that there are no allergies, or names one that does not concern drugs. */
  harmless: boolean;
  /** Words that the tables do not know. */
  strange: readonly string[];
};

/** Numbers and strengths are descriptions: "50", "250mg". */
const AMOUNT = /^\d+[a-z]{0,4}$/;

/**
 * Finds the longest phrase at each word, so that "isosorbide mononitrate" is one substance and "Zoloft 50 mg" is found.
 */
export function understand(data: SafetyData, text: string): Understood {
  const words = medicalWords(text).split(" ");
  const substances = new Set<Substance>();
  const excipients = new Set<ExcipientRow>();
  const strange: string[] = [];
  let harmless = false;
  for (let at = 0; at < words.length; ) {
    const { phrase, count } = phraseAt(data, words, at);
    if (phrase === undefined) {
      const word = words[at] as string;
      if (word !== "" && !AMOUNT.test(word)) strange.push(word);
    } else {
      for (const one of phrase.substances) substances.add(one);
      for (const one of phrase.excipients) excipients.add(one);
      if (phrase.says === "no_allergies" || phrase.says === "no_drug") harmless = true;
    }
    at += count;
  }
  return { substances: [...substances], excipients: [...excipients], harmless, strange };
}

/** The substances of a product's ingredient: usually one, by name or synonym. */
export function substancesOf(data: SafetyData, ingredient: string): readonly Substance[] {
  // Fast path: catalogues usually use the same names as the tables.
  const written = data.substances.get(ingredient);
  if (written !== undefined) return [written];
  const name = medicalWords(ingredient);
  const known = data.substances.get(name);
  if (known !== undefined) return [known];
  if (name === "") return [];
  const { substances } = understand(data, name);
  return substances.length > 0 ? substances : [strangeSubstance(name)];
}

function phraseAt({ phrases, longest_phrase }: SafetyData, words: readonly string[], at: number) {
  const first = words[at] as string;
  const most = Math.max(longest_phrase.get(first) ?? 1, longest_phrase.get(singular(first)) ?? 1);
  for (let count = Math.min(most, words.length - at); count > 0; count--) {
    const text = count === 1 ? first : words.slice(at, at + count).join(" ");
    const phrase = phrases.get(text) ?? phrases.get(singular(text));
    if (phrase !== undefined) return { phrase, count };
  }
  return { phrase: undefined, count: 1 };
}

const singular = (text: string) => (text.endsWith("s") ? text.slice(0, -1) : text);
