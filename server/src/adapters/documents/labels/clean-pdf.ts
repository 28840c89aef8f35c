import { constants, inflateSync } from "node:zlib";
import { PDFArray, PDFDict, PDFDocument, PDFName, PDFRef, PDFStream } from "pdf-lib";

const MOST_PAGES = 10;
const MOST_OBJECTS = 20_000;
/** 40 inches. */
const LONGEST_SIDE = 2_880;
const OBJECTS_PER_TICK = 200;
const LARGEST_UNPACKED_BYTES = 16 * 1024 * 1024;

/**
 * Draws the pages of a PDF into a new document: their content streams, fonts, pictures and colors. Everything else stays
 * behind: scripts, actions, links, forms, attachments, annotations, metadata and references to other files.
 */
export async function cleanPdf(bytes: Buffer): Promise<Buffer | undefined> {
  if (!isBounded(bytes)) return undefined;
  try {
    const sent = await PDFDocument.load(bytes, {
      parseSpeed: OBJECTS_PER_TICK,
      throwOnInvalidObject: true,
      updateMetadata: false,
    });
    const pages = sent.getPages();
    if (pages.length === 0 || pages.length > MOST_PAGES) return undefined;
    const clean = await PDFDocument.create({ updateMetadata: false });
    for (const page of pages) {
      const { width, height } = page.getSize();
      if (!(width > 0 && height > 0 && width <= LONGEST_SIDE && height <= LONGEST_SIDE)) return undefined;
      const copy = clean.addPage([width, height]);
      copy.setRotation(page.getRotation());
      // A page without content is an empty page.
      if (page.node.Contents() !== undefined) copy.drawPage(await clean.embedPage(page, boxOf(page)));
    }
    await clean.flush();
    return keepDrawn(clean)
      ? Buffer.from(await clean.save({ useObjectStreams: false, addDefaultPage: false }))
      : undefined;
  } catch {
    // Not a PDF, damaged or encrypted. The library throws many kinds of errors.
    return undefined;
  }
}

type Page = ReturnType<PDFDocument["getPages"]>[number];

function boxOf(page: Page) {
  const { x, y, width, height } = page.getMediaBox();
  return { left: x, bottom: y, right: x + width, top: y + height };
}

/** Keys of streams that name other files or other programs' data. Drawing needs none of them. */
const NOT_IN_STREAMS = "AF Alternates F FDecodeParms FFilter Metadata OPI PieceInfo Ref"
  .split(" ")
  .map((name) => PDFName.of(name));
/** Keys that run something or carry files. Short ones are missing, because a font or a glyph can have such a name. */
const NOWHERE =
  "AcroForm Annots EF EmbeddedFile EmbeddedFiles JS JavaScript Launch Metadata OpenAction PieceInfo RichMedia URI XFA"
    .split(" ")
    .map((name) => PDFName.of(name));

/**
 * Keeps the objects that the new pages draw, and deletes the rest of what the library copied. Returns whether their
 * number is bounded.
 */
function keepDrawn({ context, catalog }: PDFDocument): boolean {
  const seen = new Set<unknown>();
  const drawn = new Set<string>();
  const open: unknown[] = [catalog, context.trailerInfo.Root];
  while (open.length > 0) {
    const next = open.pop();
    if (next instanceof PDFRef) drawn.add(next.toString());
    const value = next instanceof PDFRef ? context.lookup(next) : next;
    if (seen.has(value)) continue;
    seen.add(value);
    if (seen.size > MOST_OBJECTS) return false;
    if (value instanceof PDFArray) open.push(...value.asArray());
    const dict = value instanceof PDFStream ? value.dict : value instanceof PDFDict ? value : undefined;
    if (dict === undefined) continue;
    for (const key of value instanceof PDFStream ? [...NOT_IN_STREAMS, ...NOWHERE] : NOWHERE) dict.delete(key);
    open.push(...dict.values());
  }
  for (const [ref] of context.enumerateIndirectObjects()) if (!drawn.has(ref.toString())) context.delete(ref);
  return true;
}

/**
 * Refuses a small file that unpacks to a huge one, before the library unpacks it. Only plain deflate is allowed: other
 * packings are obsolete, and packed twice hides the size.
 */
function isBounded(bytes: Buffer): boolean {
  const text = bytes.toString("latin1");
  if (!text.slice(0, 1024).includes("%PDF-") || !text.slice(-1024).includes("%%EOF")) return false;
  const names = text.replaceAll(/#([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (/\/(LZWDecode|LZW|Encrypt)\b/.test(names)) return false;
  let unpacked = 0;
  for (const { index, 0: opening } of text.matchAll(/stream\r?\n/g)) {
    const start = index + opening.length;
    const end = text.indexOf("endstream", start);
    const size = unpackedSize(bytes.subarray(start, end === -1 ? undefined : end));
    if (size === undefined) return false;
    unpacked += size;
    if (unpacked > LARGEST_UNPACKED_BYTES) return false;
  }
  return true;
}

/** Undefined if it is too large, damaged, or packed again inside. 0 if it is not deflate. */
function unpackedSize(packed: Buffer): number | undefined {
  if (!startsLikeDeflate(packed)) return 0;
  try {
    const plain = unpack(packed);
    return startsLikeDeflate(plain) && unpacks(plain) ? undefined : plain.length;
  } catch {
    return undefined;
  }
}

/** The two bytes of zlib: the method with its window, and a checksum that fits. */
const startsLikeDeflate = (bytes: Buffer) =>
  bytes.length > 2 && (bytes[0]! & 0x8f) === 8 && bytes.readUInt16BE(0) % 31 === 0;

/** Some programs cut off the checksum at the end. */
const unpack = (packed: Buffer) =>
  inflateSync(packed, { maxOutputLength: LARGEST_UNPACKED_BYTES, finishFlush: constants.Z_SYNC_FLUSH });

function unpacks(bytes: Buffer): boolean {
  try {
    return unpack(bytes).length > 0;
  } catch (error) {
    return (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
  }
}
