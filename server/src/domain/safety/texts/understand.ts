import { medicalWords, withinEdits } from "../../values/text.ts";
import { type Phrase, type SafetyData, type Substance, strangeSubstance } from "../data.ts";
import type { ExcipientRow } from "../rows.ts";
import { readOnce } from "./read-once.ts";
import { nearestWords } from "./spelling.ts";

/** The meaning of a line of free text. */
export type Understood = {
  /** Includes those of `did_you_mean`, because a misspelled drug must be checked like the drug. */
  substances: readonly Substance[];
  excipients: readonly ExcipientRow[];
  /** It states that there are none, or names something that does not concern drugs. */
  harmless: boolean;
  /** Words that the tables do not know. */
  strange: readonly string[];
  /** The substances of misspelled words, each with one possible meaning. */
  did_you_mean: readonly Substance[];
  /** One of them is two edits away, so it may mean a drug that the tables do not know. */
  doubtful: boolean;
  /** How often it names something, even if it is the same again: "simvastatin 20 mg, simvastatin 80 mg". */
  names: number;
};

/** Numbers and strengths are descriptions: "50", "250mg". */
const AMOUNT = /^\d+[a-z]{0,4}$/;
/** Lists are separated by these. A slash and a hyphen also join names: "TMP/SMX", "Claritin-D". */
const LIST = /[,;\n|•]+|\s[&+]\s/;
/** After a name, a dash or a colon begins a remark. */
const REMARK = /\s[-–—]+\s|:\s/;
const BRACKETS = /\(([^()]*)\)|\[([^[\]]*)\]/g;
const NOTHING = /^[\s.\-–—/0]*$/;
const AND = "and";

/**
 * Finds the longest phrase at each word, so that "isosorbide mononitrate" is one substance and "Zoloft 50 mg" is found.
 * Words in a remark ("penicillin since the summer camp") need not be known, because they follow a name.
 */
export const understand = readOnce(
  read,
  // Substances and excipients belong to the tables, so a meaning has only references to them.
  ({ substances, excipients, strange, did_you_mean }) =>
    200 + 8 * (substances.length + excipients.length + did_you_mean.length) + 2 * strange.join("").length,
);

function read(data: SafetyData, text: string): Understood {
  const found: Found = {
    substances: new Set(),
    excipients: new Set(),
    harmless: NOTHING.test(text),
    strange: [],
    did_you_mean: new Set(),
    doubtful: false,
    names: 0,
  };
  const remarks: string[] = [];
  const main = text.replace(BRACKETS, (_all, round?: string, square?: string) => {
    remarks.push(round ?? square ?? "");
    return " ";
  });
  const named = readList(data, found, main, false);
  for (const remark of remarks) readList(data, found, remark, named);
  return {
    substances: [...found.substances],
    excipients: [...found.excipients],
    harmless: found.harmless,
    strange: found.strange,
    did_you_mean: [...found.did_you_mean],
    doubtful: found.doubtful,
    names: found.names,
  };
}

/** Whether the tables understand all of a text: it names something, or says that there is nothing to name. */
export const isUnderstood = ({ substances, excipients, harmless, strange, did_you_mean }: Understood): boolean =>
  strange.length === 0 && did_you_mean.length === 0 && (harmless || substances.length + excipients.length > 0);

/** The substances of a product's ingredient: usually one, by name or synonym. */
export function substancesOf(data: SafetyData, ingredient: string): readonly Substance[] {
  return readIngredient(data, ingredient).substances;
}

/** A product's ingredient, and whether the tables know it exactly. */
export function readIngredient(
  data: SafetyData,
  ingredient: string,
): { substances: readonly Substance[]; known: boolean; did_you_mean: readonly Substance[] } {
  // Fast path: catalogues usually use the same names as the tables.
  const written = data.substances.get(ingredient);
  if (written !== undefined) return { substances: [written], known: true, did_you_mean: [] };
  const name = medicalWords(ingredient);
  const known = data.substances.get(name);
  if (known !== undefined) return { substances: [known], known: true, did_you_mean: [] };
  if (name === "") return { substances: [], known: false, did_you_mean: [] };
  // "estrogens, conjugated" is one name, although a comma separates entries of a list.
  const alias = data.phrases.get(name)?.substances ?? [];
  if (alias.length > 0 && !alias.some(({ is_class }) => is_class)) {
    return { substances: alias, known: true, did_you_mean: [] };
  }
  const understood = understand(data, ingredient);
  const { substances, excipients, did_you_mean } = understood;
  const drugs = substances.filter(({ is_class }) => !is_class);
  return {
    substances: substances.length > 0 ? substances : [strangeSubstance(name)],
    // "Statin" is no ingredient that could be checked.
    known: isUnderstood(understood) && drugs.length + excipients.length > 0,
    did_you_mean,
  };
}

type Found = {
  substances: Set<Substance>;
  excipients: Set<ExcipientRow>;
  harmless: boolean;
  strange: string[];
  did_you_mean: Set<Substance>;
  doubtful: boolean;
  names: number;
};

/** Returns whether the text names something. In a remark, unknown words are ignored. */
function readList(data: SafetyData, found: Found, text: string, remark: boolean): boolean {
  let any = false;
  for (const entry of text.split(LIST)) {
    let named = false;
    for (const part of entry.split(REMARK)) named = readWords(data, found, part, remark || named) || named;
    any ||= named;
  }
  return any;
}

function readWords(data: SafetyData, found: Found, text: string, remark: boolean): boolean {
  const words = medicalWords(text).split(" ");
  const { salts, remark_starts } = data.lexicon;
  let named = false;
  let in_remark = remark;
  for (let at = 0; at < words.length; ) {
    const { phrase, count } = phraseAt(data, words, at);
    const word = words[at] as string;
    if (word === AND) in_remark = remark;
    else if (named && remark_starts.has(word)) in_remark = true;
    if (phrase !== undefined) {
      const names = keep(found, phrase);
      named ||= names;
      at += count;
      // "losartan potassium" is no potassium.
      while (names && salts.has(words[at] ?? "") && phraseAt(data, words, at).count === 1) at++;
      continue;
    }
    if (word !== "" && !AMOUNT.test(word) && !in_remark) named = readMisspelled(data, found, word) || named;
    at += 1;
  }
  return named;
}

/** A misspelled word counts only if all near words mean the same. */
function readMisspelled(data: SafetyData, found: Found, word: string): boolean {
  const nearest = nearestWords(data.spellings, word);
  const meanings = nearest.map((near) => data.phrases.get(near) as Phrase);
  const [first, ...others] = meanings;
  if (first === undefined || !others.every((other) => isSame(first, other))) {
    found.strange.push(word);
    return false;
  }
  for (const one of first.substances) {
    // Another word of the text may name the same substance correctly.
    if (!found.substances.has(one)) found.did_you_mean.add(one);
  }
  found.doubtful ||= !nearest.every((near) => withinEdits(word, near, 1));
  return keep(found, first);
}

function keep(found: Found, { substances, excipients, says }: Phrase): boolean {
  for (const one of substances) found.substances.add(one);
  for (const one of excipients) found.excipients.add(one);
  if (says === "no_allergies" || says === "no_drug") found.harmless = true;
  const names = substances.length + excipients.length > 0;
  if (names) found.names += 1;
  return names;
}

const isSame = (one: Phrase, other: Phrase): boolean =>
  one.says === other.says && sameItems(one.substances, other.substances) && sameItems(one.excipients, other.excipients);

const sameItems = <Item>(one: readonly Item[], other: readonly Item[]): boolean =>
  one.length === other.length && one.every((item) => other.includes(item));

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
