import type { Phrase, Substance } from "../data.ts";
import { baseOf, type DrugName } from "./drug-names.ts";
import type { Lexicon } from "./lexicon.ts";

/** The source of names without a row in the tables. `Lexicon.sources` has its citation. */
const NAMES_SOURCE = "rxnorm";

/**
 * Adds the names and words of the lexicon that the tables lack. Changes no phrase that they have, with one exception: it
 * completes a brand of which they name only some ingredients, because the others can duplicate and interact too.
 * Words around a name come before names, because brands such as "Relief" are words too.
 */
export function addLexicon(lexicon: Lexicon, substances: Map<string, Substance>, phrases: Map<string, Phrase>): void {
  const substance = (name: string, source: string): Substance => {
    const known = substances.get(name);
    if (known !== undefined) return known;
    const made = { name, shown: name, is_class: false, classes: [], terms: [name], source };
    substances.set(name, made);
    return made;
  };
  const meant = (names: readonly string[], source: string): Substance[] => [
    ...new Set(
      names.flatMap((name) => {
        const found = substances.has(name) ? [] : (phrases.get(name)?.substances ?? []);
        return found.length > 0 ? found : [substance(name, source)];
      }),
    ),
  ];
  const add = (text: string, phrase: Partial<Phrase>) => {
    if (!phrases.has(text)) phrases.set(text, { substances: [], excipients: [], says: null, ...phrase });
  };

  for (const { text, means, source } of lexicon.abbreviations) {
    if (!phrases.has(text)) add(text, { substances: meant(means, source) });
  }
  for (const { name, also, source } of lexicon.substances) {
    for (const text of [name, ...also]) if (!phrases.has(text)) add(text, { substances: meant([name], source) });
  }
  for (const text of lexicon.none) add(text, { says: "no_allergies" });
  for (const text of lexicon.quiet) add(text, { says: "no_drug" });
  for (const text of lexicon.description) add(text, { says: "description" });
  const others: DrugName[] = [];
  for (const drug of lexicon.names) {
    const { name, ingredients } = drug;
    const named = (phrases.get(name)?.substances.length ?? 0) > 0;
    if (ingredients.length > (named ? 1 : 0)) others.push(drug);
    else if (!named) {
      // The tables can name an ingredient without its salt: dabigatran etexilate is dabigatran.
      const base = phrases.get(baseOf(name, lexicon.salts))?.substances ?? [];
      const own = base.length > 0 ? base : [substance(name, NAMES_SOURCE)];
      // A name that is also a word keeps its meaning in free text, and is an ingredient of products.
      add(name, { substances: own });
    }
  }
  for (const { name, ingredients } of others) {
    const all = meant(ingredients, NAMES_SOURCE);
    const known = phrases.get(name);
    if (known === undefined) add(name, { substances: all });
    else if (known.substances.length > 0 && known.substances.every((one) => all.includes(one))) {
      phrases.set(name, { ...known, substances: all });
    }
  }
}
