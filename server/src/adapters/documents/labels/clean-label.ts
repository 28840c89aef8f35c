import type { labelFormats } from "@pestle/contract";
import { cleanPng } from "./clean-png.ts";
import { cleanZpl } from "./clean-zpl.ts";

type LabelFormat = (typeof labelFormats)[number];

/** More than any label has, and little enough to parse on the side of a request. */
const LARGEST_BYTES = 512 * 1024;

/**
 * A partner's label, parsed and written again with only what a printer needs; undefined if it cannot be read. A label
 * reaches the pharmacy's printers and screens, so the bytes that the partner sent never do.
 */
export async function cleanLabel(format: LabelFormat, bytes: Buffer): Promise<Buffer | undefined> {
  if (bytes.length > LARGEST_BYTES) return undefined;
  if (format === "ZPL") return cleanZpl(bytes);
  if (format === "PNG") return cleanPng(bytes);
  // Its library is large, and few services ever get a label of their own.
  const { cleanPdf } = await import("./clean-pdf.ts");
  return cleanPdf(bytes);
}
