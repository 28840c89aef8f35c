import { readFileSync } from "node:fs";

/** Works from both `src/` and `dist/`. ATTRIBUTION.md beside the file names its source. */
const FILE = new URL("../../data/passwords/common.txt", import.meta.url);

let words: Set<string> | undefined;

/** Whether a password, or the word in it, is in the shipped list. Loads the list with the first question. */
export function isCommonPassword(word: string): boolean {
  words ??= new Set(
    readFileSync(FILE, "utf8")
      .split("\n")
      .filter((line) => !line.startsWith("# ") && line !== ""),
  );
  return words.has(word);
}
