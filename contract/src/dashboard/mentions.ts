import type { Colleague } from "./dashboard-notifications.ts";

/** Not inside a word, such as an email address. */
const AT = /(?<![\p{L}\p{N}._-])@/gu;
const WORD = /^[\p{L}\p{N}'’-]+/u;

/**
 * The colleagues whom `@Name` in a note means, in the order of the text. The longest name that fits counts, in any case. A first
 * name alone counts if only one colleague has it.
 */
export function mentionedIn(text: string, colleagues: readonly Colleague[]): Colleague[] {
  const said = folded(text);
  const named = colleagues.map((colleague) => ({ colleague, name: folded(colleague.name) }));
  const found = new Map<string, Colleague>();
  for (const { index } of said.matchAll(AT)) {
    const rest = said.slice(index + 1);
    const full = named.filter(({ name }) => rest.startsWith(name) && !WORD.test(rest.slice(name.length)));
    const longest = Math.max(...full.map(({ name }) => name.length));
    const meant = full.length > 0 ? full.filter(({ name }) => name.length === longest) : byFirstName(rest, named);
    for (const { colleague } of meant) found.set(colleague.person_id, colleague);
  }
  return [...found.values()];
}

function byFirstName<Named extends { name: string }>(rest: string, named: readonly Named[]): Named[] {
  const [word] = WORD.exec(rest) ?? [];
  const meant = named.filter(({ name }) => word !== undefined && name.split(" ")[0] === word);
  return meant.length === 1 ? meant : [];
}

const folded = (text: string): string => text.normalize("NFC").toLowerCase().trim().replaceAll(/\s+/g, " ");
