import type { labelFormats } from "@pestle/contract";
import type { Problem } from "../values/refusals.ts";
import type { LabelDraft } from "./order-draft.ts";

/** Checks a custom label that an account sends to print instead of ours: permission, format and data. */
export function checkLabel(label: LabelDraft, permitted: boolean): Problem[] {
  if (!permitted) return [{ code: 42295, field: "shipping.label" }];
  if (label.format === null) return [{ code: 42294, field: "shipping.label.format" }];
  return labelBytes(label) === null ? [{ code: 42296, field: "shipping.label.data" }] : [];
}

/** The label's bytes, one character each; null if they do not look like its format. */
export function labelBytes({ format, data }: LabelDraft): string | null {
  const bytes = data === null ? null : decodeBase64(data);
  return format === null || bytes === null || !looksLike[format](bytes) ? null : bytes;
}

/** One character per byte. Strict: no spaces, correct padding, not empty. */
function decodeBase64(text: string): string | null {
  if (text === "" || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  return atob(text);
}

const HEAD_BYTES = 1024;
const PNG_START = "\x89PNG\r\n\x1a\n";

/** Checks how each format begins and ends. Before an order is saved, an adapter parses the rest. */
const looksLike: Record<(typeof labelFormats)[number], (bytes: string) => boolean> = {
  PDF: (bytes) => bytes.slice(0, HEAD_BYTES).includes("%PDF-") && bytes.slice(-HEAD_BYTES).includes("%%EOF"),
  PNG: (bytes) => bytes.startsWith(PNG_START) && bytes.slice(12, 16) === "IHDR" && bytes.slice(-8, -4) === "IEND",
  ZPL: (bytes) => {
    const start = bytes.indexOf("^XA");
    return start !== -1 && bytes.indexOf("^XZ", start) !== -1 && !/[^\t\n\r\x20-\x7e\x80-\xff]/.test(bytes);
  },
};
