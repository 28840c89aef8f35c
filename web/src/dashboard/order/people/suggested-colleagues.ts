import type { Colleague } from "@pestle/contract";

const MOST = 5;
/** A name that the user is typing: `@` at the start of a word, and what follows up to the end of the text. */
const TYPED = /(?<![\p{L}\p{N}._-])@([\p{L}\p{N}'’ -]{0,40})$/u;

/** The colleagues whose name, or a word of it, starts with what the user types after `@`; none after a complete name. */
export function suggestedColleagues(text: string, colleagues: readonly Colleague[]): Colleague[] {
  const typed = TYPED.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return [];
  const fits = (name: string) => name.startsWith(typed) || name.split(" ").some((word) => word.startsWith(typed));
  const found = colleagues.filter(({ name }) => fits(name.toLowerCase()) && name.toLowerCase() !== typed);
  return found.slice(0, MOST);
}

/** The text with the typed name completed. */
export const completed = (text: string, { name }: Pick<Colleague, "name">): string =>
  text.replace(TYPED, () => `@${name} `);
