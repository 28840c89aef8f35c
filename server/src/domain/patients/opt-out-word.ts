import { type OptOutWord, optOutWords } from "@pestle/contract";

/** What a patient's text message asks for; null if it is none of the words. Case, spaces and punctuation do not count. */
export function optOutWord(text: string): OptOutWord | null {
  const word = text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
  const found = Object.entries(optOutWords).find(([, words]) => (words as readonly string[]).includes(word));
  return (found?.[0] as OptOutWord | undefined) ?? null;
}
