import type { labelFormats } from "@pestle/contract";
import type { LabelDraft } from "./order-draft.ts";
import type { Problem } from "./refusals.ts";

/** A label that an account sends to be printed instead of ours: whether it may, what it is called, what its bytes are. */
export function checkLabel(label: LabelDraft, permitted: boolean): Problem[] {
  if (!permitted) return [{ code: 42295, field: "shipping.label" }];
  if (label.format === null) return [{ code: 42294, field: "shipping.label.format" }];
  const bytes = label.data === null ? null : decodeBase64(label.data);
  if (bytes === null || !looksLike[label.format](bytes)) return [{ code: 42296, field: "shipping.label.data" }];
  return [];
}

/** Strict: no blanks, right padding, at least something. */
export function decodeBase64(text: string): Uint8Array | null {
  if (text === "" || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}

const HEAD_BYTES = 1024;
const PNG_START = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** What each format begins and ends with; a program that prints it will look closer. */
const looksLike: Record<(typeof labelFormats)[number], (bytes: Uint8Array) => boolean> = {
  PDF: (bytes) =>
    latin1(bytes.subarray(0, HEAD_BYTES)).includes("%PDF-") && latin1(bytes.subarray(-HEAD_BYTES)).includes("%%EOF"),
  PNG: (bytes) =>
    PNG_START.every((byte, at) => bytes[at] === byte) &&
    latin1(bytes.subarray(12, 16)) === "IHDR" &&
    latin1(bytes.subarray(-8, -4)) === "IEND",
  ZPL: (bytes) => {
    const text = latin1(bytes);
    const start = text.indexOf("^XA");
    return start !== -1 && text.indexOf("^XZ", start) !== -1 && !/[^\t\n\r\x20-\x7e\x80-\xff]/.test(text);
  },
};

const latin1 = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
