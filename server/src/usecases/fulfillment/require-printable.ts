import type { Deps } from "../../deps.ts";
import { type PrintedText, unprintableSentence } from "../../domain/fulfillment/documents.ts";
import { WorkRefusal } from "./work-refusal.ts";

/** A document shows each text as it was written or is not printed: a question mark in a name or a dose does harm. */
export async function requirePrintable(deps: Pick<Deps, "documents">, texts: readonly PrintedText[]): Promise<void> {
  const found = await deps.documents.findUnprintable(texts);
  if (found !== undefined) throw new WorkRefusal("unprintable", unprintableSentence(found.text, found.char));
}
