import type { PrintedText } from "../../../domain/fulfillment/documents.ts";
import { isWinAnsiText, plainText, writtenOtherwise } from "../../../domain/values/printable-text.ts";
import type { Faces } from "./faces.ts";
import { loadFonts } from "./load-fonts.ts";
import { clustersOf, hintOf } from "./runs.ts";

/** No font has the character, and it has no other spelling. */
class UnprintableCharacter extends Error {
  readonly char: string;
  constructor(char: string) {
    super("No font has a character of the text.");
    this.char = char;
  }
}

/** The first text with a character that cannot be printed. Loads no fonts for texts that need none. */
export async function findUnprintable(
  texts: readonly PrintedText[],
): Promise<{ text: PrintedText; char: string } | undefined> {
  const foreign = texts.filter(({ text }) => !isWinAnsiText(plainText(text)));
  if (foreign.length === 0) return undefined;
  const { faces } = (await loadFonts())();
  for (const text of foreign) {
    const char = missingIn(text.text, faces);
    if (char !== undefined) return { text, char };
  }
  return undefined;
}

function missingIn(text: string, faces: () => Faces): string | undefined {
  try {
    printableText(text, faces);
    return undefined;
  } catch (error) {
    if (error instanceof UnprintableCharacter) return error.char;
    throw error;
  }
}

/** The text with characters that the fonts have. Throws if there is one without a font. */
export function printableText(text: string, faces: () => Faces): string {
  const plain = plainText(text);
  if (isWinAnsiText(plain)) return plain;
  const hint = hintOf(plain);
  const written = clustersOf(plain).map((cluster) => {
    if (faces().of(cluster, hint) !== undefined) return cluster;
    return Array.from(cluster, (char) => {
      if (isInvisible(char) || faces().of(char, hint) !== undefined) return char;
      const other = writtenOtherwise(char);
      if (other === null) throw new UnprintableCharacter(char);
      return other;
    }).join("");
  });
  return plainText(written.join(""));
}

const isInvisible = (char: string) => /[\u200c-\u200f]/.test(char);
