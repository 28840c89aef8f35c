import { SHORTEST_PASSWORD } from "@pestle/contract";

/** Padding around a common password that an attacker tries too: "password2026!". */
const MOST_PADDING = 8;
/** Characters that must remain after a person's own words are removed. */
const OTHER_CHARACTERS = 8;
const SHORTEST_WORD = 4;

export const passwordProblems = {
  short: `A password must have at least ${SHORTEST_PASSWORD} characters.`,
  common: "This password is too common. Choose another one, for example four words that do not belong together.",
  own: "This password is mostly your name, your email address or the name of the company. Choose another one.",
} as const;
export type PasswordProblem = keyof typeof passwordProblems;

/**
 * Length, common passwords and the person's own words (NIST SP 800-63B). There are deliberately no rules about kinds of
 * characters: they make passwords harder to remember, not harder to guess.
 */
export function passwordProblem(
  password: string,
  isCommon: (word: string) => boolean,
  own: readonly string[],
): PasswordProblem | null {
  const plain = password.normalize("NFKC");
  if ([...plain].length < SHORTEST_PASSWORD) return "short";
  const text = plain.toLowerCase();
  const rest = ownWords(own).reduce((left, word) => left.replaceAll(word, ""), text);
  if (rest !== text && [...rest].length < OTHER_CHARACTERS) return "own";
  const common = isPattern(text) || isCommon(text) || isPaddedCommon(text, isCommon);
  return common || isPaddedCommon(withoutDisguise(text), isCommon) ? "common" : null;
}

/** A common password with something before or after it, once or repeated. */
function isPaddedCommon(text: string, isCommon: (word: string) => boolean): boolean {
  const core = coreOf(text);
  if (text.length - core.length > MOST_PADDING) return false;
  const once = core.slice(0, period(core));
  return isCommon(core) || isCommon(once) || isCommon(coreOf(once));
}

/** The text between its first and its last letter. */
export const coreOf = (text: string): string => /\p{L}(.*\p{L})?/u.exec(text)?.[0] ?? "";

/** One to four characters again and again, or a run such as "abcdefghijkl" and "987654321098". */
function isPattern(text: string): boolean {
  if (period(text) <= 4) return true;
  const steps = new Set([...text].slice(1).map((letter, at) => stepBetween(text[at]!, letter)));
  return steps.size === 1 && (steps.has(1) || steps.has(-1));
}

function stepBetween(before: string, after: string): number {
  const step = after.charCodeAt(0) - before.charCodeAt(0);
  return step === -9 ? 1 : step === 9 ? -1 : step;
}

/** The length of the shortest part that gives the text when repeated. */
function period(text: string): number {
  for (let length = 1; length <= text.length / 2; length++) {
    if (
      text ===
      text
        .slice(0, length)
        .repeat(Math.ceil(text.length / length))
        .slice(0, text.length)
    )
      return length;
  }
  return text.length;
}

const disguises: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "@": "a",
  $: "s",
  "!": "i",
};
/** "p4ssw0rd" and "pa$$word" are "password". Digits at the end stay, because they are padding. */
const withoutDisguise = (text: string): string => {
  const [, body = "", end = ""] = /^(.*?)([\d\W_]*)$/su.exec(text) ?? [];
  return [...body].map((letter) => disguises[letter] ?? letter).join("") + end;
};

/** The parts of a name or an address that are long enough to matter, longest first. */
const ownWords = (own: readonly string[]): string[] =>
  own
    .flatMap((text) =>
      text
        .normalize("NFKC")
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u),
    )
    .filter((word) => word.length >= SHORTEST_WORD)
    .sort((a, b) => b.length - a.length);
