import { medicalWords } from "../../values/text.ts";
import type { DrugName } from "./drug-names.ts";

/**
 * Names and words that every installation knows besides its safety tables. The tables have precedence: the lexicon only
 * adds names that they lack, so a drug without rules is a known drug.
 */
export type Lexicon = {
  readonly names: readonly DrugName[];
  /** "NTG" means nitroglycerin. `means` are names or words of the tables; `either`: only one of them, or a similar one. */
  readonly abbreviations: readonly { text: string; means: readonly string[]; either?: boolean; source: string }[];
  /** Herbs, supplements and substances without a product. */
  readonly substances: readonly { name: string; also: readonly string[]; source: string }[];
  /** The patient has no allergies, or takes nothing. */
  readonly none: readonly string[];
  /** Foods and vitamins that concern no drug. */
  readonly quiet: readonly string[];
  /** Words after the name of an ingredient: "metoprolol succinate". */
  readonly salts: ReadonlySet<string>;
  /** After a name, these words begin a remark: "penicillin since childhood". */
  readonly remark_starts: ReadonlySet<string>;
  /** Words around a name: form, route, time, reaction. */
  readonly description: readonly string[];
  /** The citation of each source. */
  readonly sources: Readonly<Record<string, string>>;
};

type WordsFile = Pick<Lexicon, "abbreviations" | "substances" | "none" | "quiet" | "description" | "sources"> & {
  salts: readonly string[];
  remark_starts: readonly string[];
};

/** Reads the shipped words (`data/drugs/words.json`), in the form that texts are compared in. */
export function makeLexicon(names: readonly DrugName[], json: unknown): Lexicon {
  const words = json as WordsFile;
  const plain = (list: readonly string[]) => [...new Set(list.map(medicalWords))];
  return {
    names,
    abbreviations: words.abbreviations.map((row) => ({ ...row, text: medicalWords(row.text) })),
    substances: words.substances.map((row) => ({ ...row, name: medicalWords(row.name), also: plain(row.also) })),
    none: plain(words.none),
    quiet: plain(words.quiet),
    salts: new Set(words.salts),
    remark_starts: new Set(words.remark_starts),
    description: plain(words.description),
    sources: words.sources,
  };
}

/** For tables that are read alone. */
export const NO_LEXICON: Lexicon = {
  names: [],
  abbreviations: [],
  substances: [],
  none: [],
  quiet: [],
  salts: new Set(),
  remark_starts: new Set(),
  description: [],
  sources: {},
};
