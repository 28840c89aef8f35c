import { readFileSync } from "node:fs";
import { readDrugNames } from "../../domain/safety/texts/drug-names.ts";
import { type Lexicon, makeLexicon } from "../../domain/safety/texts/lexicon.ts";

/** The same relative path works from `src/` and from `dist/`. ATTRIBUTION.md in the folder names the sources. */
const FOLDER = new URL("../../../data/drugs/", import.meta.url);

let lexicon: Lexicon | undefined;

/** The drug names and words that ship with this build. They never change while the process runs. */
export function loadLexicon(): Lexicon {
  const read = (name: string) => readFileSync(new URL(name, FOLDER), "utf8");
  lexicon ??= makeLexicon(readDrugNames(read("names.txt")), JSON.parse(read("words.json")) as unknown);
  return lexicon;
}
