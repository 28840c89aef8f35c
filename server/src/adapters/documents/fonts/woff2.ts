import { brotliDecompressSync } from "node:zlib";
import { outline, outlineTables, padded, sfntFile, words } from "./sfnt.ts";

/**
 * A TrueType font from its WOFF2 file, which npm packages contain. Our font library reads WOFF2 too, but neither varies
 * its weight nor embeds its glyphs. Names follow https://www.w3.org/TR/WOFF2/.
 */
export function sfntOf(file: Buffer): Buffer {
  const tables = readTables(file);
  const glyf = tables.get("glyf");
  const hmtx = tables.get("hmtx");
  if (glyf?.transformed) {
    const glyphs = readGlyphs(glyf.data);
    if (hmtx?.transformed) hmtx.data = readMetrics(hmtx.data, tables.get("hhea")!.data.readUInt16BE(34), glyphs);
    const outlines = outlineTables(glyphs.map(({ bytes }) => bytes));
    glyf.data = outlines.glyf;
    tables.get("loca")!.data = outlines.loca;
    // Says that offsets have four bytes.
    tables.get("head")!.data.writeInt16BE(1, 50);
  }
  return sfntFile(new Map([...tables].map(([tag, { data }]) => [tag, data])));
}

type Table = { data: Buffer; transformed: boolean };
type Glyph = { bytes: Buffer; x_min: number };

// biome-ignore format: the specification's table, eight a row.
const KNOWN_TAGS = [
  "cmap", "head", "hhea", "hmtx", "maxp", "name", "OS/2", "post",
  "cvt ", "fpgm", "glyf", "loca", "prep", "CFF ", "VORG", "EBDT",
  "EBLC", "gasp", "hdmx", "kern", "LTSH", "PCLT", "VDMX", "vhea",
  "vmtx", "BASE", "GDEF", "GPOS", "GSUB", "EBSC", "JSTF", "MATH",
  "CBDT", "CBLC", "COLR", "CPAL", "SVG ", "sbix", "acnt", "avar",
  "bdat", "bloc", "bsln", "cvar", "fdsc", "feat", "fmtx", "fvar",
  "gvar", "hsty", "just", "lcar", "mort", "morx", "opbd", "prop",
  "trak", "Zapf", "Silf", "Glat", "Gloc", "Feat", "Sill",
];
const HEADER_BYTES = 48;

function readTables(file: Buffer): Map<string, Table> {
  const reader = readerOf(file, HEADER_BYTES);
  const entries = Array.from({ length: file.readUInt16BE(12) }, () => {
    const flags = reader.byte();
    const tag = KNOWN_TAGS[flags & 63] ?? reader.bytes(4).toString("latin1");
    const length = reader.base128();
    const is_outline = tag === "glyf" || tag === "loca";
    const transformed = is_outline ? flags >> 6 !== 3 : flags >> 6 !== 0;
    return { tag, transformed, length: transformed ? reader.base128() : length };
  });
  const content = brotliDecompressSync(reader.bytes(file.readUInt32BE(20)));
  const tables = readerOf(content, 0);
  return new Map(entries.map(({ tag, transformed, length }) => [tag, { transformed, data: tables.bytes(length) }]));
}

function readGlyphs(table: Buffer): Glyph[] {
  const header = readerOf(table, 4);
  const count = header.word();
  header.word();
  const sizes = Array.from({ length: 7 }, () => header.long());
  const [contours, points, flags, glyphs, composites, boxes, instructions] = sizes.map((size) =>
    readerOf(header.bytes(size), 0),
  ) as [Reader, Reader, Reader, Reader, Reader, Reader, Reader];
  const has_box = boxes.bytes(4 * ((count + 31) >> 5));
  const streams = { points, flags, glyphs, composites, instructions };
  return Array.from({ length: count }, (_, index) => {
    const contour_count = contours.signedWord();
    const box = (has_box[index >> 3]! & (0x80 >> (index & 7))) === 0 ? undefined : boxes.bytes(8);
    if (contour_count === 0) return { bytes: Buffer.alloc(0), x_min: 0 };
    return contour_count < 0 ? compositeGlyph(streams, box!) : simpleGlyph(streams, contour_count);
  });
}

type Streams = Record<"points" | "flags" | "glyphs" | "composites" | "instructions", Reader>;

const WORD_ARGUMENTS = 0x0001;
const ONE_SCALE = 0x0008;
const MORE_COMPONENTS = 0x0020;
const TWO_SCALES = 0x0040;
const MATRIX = 0x0080;
const HAS_INSTRUCTIONS = 0x0100;

function compositeGlyph({ glyphs, composites, instructions }: Streams, box: Buffer): Glyph {
  const parts = [words(-1), box];
  let has_instructions = false;
  let flags = MORE_COMPONENTS;
  while ((flags & MORE_COMPONENTS) !== 0) {
    flags = composites.word();
    has_instructions ||= (flags & HAS_INSTRUCTIONS) !== 0;
    const scale = (flags & ONE_SCALE) !== 0 ? 2 : (flags & TWO_SCALES) !== 0 ? 4 : (flags & MATRIX) !== 0 ? 8 : 0;
    parts.push(words(flags), composites.bytes(2 + ((flags & WORD_ARGUMENTS) !== 0 ? 4 : 2) + scale));
  }
  if (has_instructions) {
    const length = glyphs.short255();
    parts.push(words(length), instructions.bytes(length));
  }
  return { bytes: padded(Buffer.concat(parts)), x_min: box.readInt16BE(0) };
}

/** Leaves out the instructions, which serve small screens, and a box of its own: we compute it. */
function simpleGlyph({ points, flags, glyphs, instructions }: Streams, count: number): Glyph {
  const sizes = Array.from({ length: count }, () => points.short255());
  let [x, y] = [0, 0];
  const contours = sizes.map((size) =>
    Array.from({ length: size }, () => {
      const flag = flags.byte();
      const [dx, dy] = triplet(flag & 127, glyphs);
      x += dx;
      y += dy;
      return { x, y, on_curve: flag < 128 };
    }),
  );
  instructions.bytes(glyphs.short255());
  const { bytes, box } = outline(contours);
  return { bytes, x_min: box.x_min };
}

/** The step to the next point, in one to four bytes. */
function triplet(flag: number, glyphs: Reader): [number, number] {
  const signed = (bit: number, size: number) => ((flag & bit) === 0 ? -size : size);
  if (flag < 10) return [0, signed(1, ((flag & 14) << 7) + glyphs.byte())];
  if (flag < 20) return [signed(1, (((flag - 10) & 14) << 7) + glyphs.byte()), 0];
  if (flag < 84) {
    const [high, both] = [flag - 20, glyphs.byte()];
    return [signed(1, 1 + (high & 0x30) + (both >> 4)), signed(2, 1 + ((high & 0x0c) << 2) + (both & 15))];
  }
  if (flag < 120) {
    const high = flag - 84;
    const dx = signed(1, 1 + (Math.floor(high / 12) << 8) + glyphs.byte());
    return [dx, signed(2, 1 + (((high % 12) >> 2) << 8) + glyphs.byte())];
  }
  if (flag < 124) {
    const [one, two, three] = [glyphs.byte(), glyphs.byte(), glyphs.byte()];
    return [signed(1, (one << 4) + (two >> 4)), signed(2, ((two & 15) << 8) + three)];
  }
  return [signed(1, glyphs.word()), signed(2, glyphs.word())];
}

/** Side bearings that the file leaves out are the left edges of the glyphs. */
function readMetrics(table: Buffer, long_metrics: number, glyphs: readonly Glyph[]): Buffer {
  const reader = readerOf(table, 0);
  const flags = reader.byte();
  const widths = Array.from({ length: long_metrics }, () => reader.word());
  return Buffer.concat(
    glyphs.map(({ x_min }, index) => {
      const omitted = (flags & (index < long_metrics ? 1 : 2)) !== 0;
      const bearing = omitted ? x_min : reader.signedWord();
      return index < long_metrics ? words(widths[index]!, bearing) : words(bearing);
    }),
  );
}

type Reader = ReturnType<typeof readerOf>;

function readerOf(source: Buffer, start: number) {
  let at = start;
  const advance = (length: number) => {
    at += length;
    return at - length;
  };
  const reader = {
    byte: () => source.readUInt8(advance(1)),
    word: () => source.readUInt16BE(advance(2)),
    signedWord: () => source.readInt16BE(advance(2)),
    long: () => source.readUInt32BE(advance(4)),
    bytes: (length: number) => source.subarray(advance(length), at),
    /** Seven bits a byte; the last byte has no high bit. */
    base128: () => {
      let value = 0;
      for (;;) {
        const next = reader.byte();
        value = value * 128 + (next & 127);
        if (next < 128) return value;
      }
    },
    /** One to three bytes: most numbers are small. */
    short255: () => {
      const first = reader.byte();
      if (first === 253) return reader.word();
      if (first === 255) return reader.byte() + 253;
      return first === 254 ? reader.byte() + 506 : first;
    },
  };
  return reader;
}
