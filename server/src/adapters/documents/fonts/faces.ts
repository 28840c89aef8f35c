import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";
import { create, type Font } from "fontkit";
import { BoundedMap } from "../../../domain/values/bounded-map.ts";
import { subsetOf } from "./subset.ts";
import { sfntOf } from "./woff2.ts";

/** A font for one alphabet or one part of a large one. */
export type Face = { name: string; regular: Font; bold: Font; bytes: number };

/** The faces that one document uses. */
export type Faces = {
  /** The face that has every character of the cluster; undefined if none has. */
  of(cluster: string, hint: ScriptHint): Face | undefined;
};

/** Chinese, Japanese and Korean write the same character differently, so its neighbors decide. */
export type ScriptHint = "chinese" | "japanese" | "korean";

type Family = { name: string; parts: RegExp };

const ALL = /^/;
/** The first family that has a character draws it. */
const families = {
  latin: { name: "noto-sans", parts: ALL },
  arabic: { name: "noto-sans-arabic", parts: /^(arabic|math|symbols)$/ },
  hebrew: { name: "noto-sans-hebrew", parts: /^hebrew$/ },
  // The parts of a large alphabet have numbers.
  chinese: { name: "noto-sans-sc", parts: /^\[\d+\]$/ },
  japanese: { name: "noto-sans-jp", parts: /^\[\d+\]$/ },
  korean: { name: "noto-sans-kr", parts: /^\[\d+\]$/ },
} as const satisfies Record<string, Family>;
type FamilyName = keyof typeof families;

const EAST_ASIAN: Record<ScriptHint, readonly FamilyName[]> = {
  chinese: ["chinese", "japanese", "korean"],
  japanese: ["japanese", "chinese", "korean"],
  korean: ["korean", "chinese", "japanese"],
};

const REGULAR = 400;
const BOLD = 700;
const MEGABYTE = 2 ** 20;

/** Open fonts take about this many times the size of their file. */
const OPEN_SIZE = 6;

/** Opening a font takes up to 0.1 s. A document with several alphabets uses about ten. */
const opened = new BoundedMap<Face>({ entries: 64, bytes: 48 * MEGABYTE, bytesOf: ({ bytes }) => OPEN_SIZE * bytes });

/** The faces of one document. */
export function openFaces(): Faces {
  const found = new Map<string, Face | undefined>();
  return {
    of(cluster, hint) {
      const key = `${hint} ${cluster}`;
      if (!found.has(key)) found.set(key, faceOf(cluster, hint));
      return found.get(key);
    },
  };
}

function faceOf(cluster: string, hint: ScriptHint): Face | undefined {
  const needed = Array.from(cluster, (char) => char.codePointAt(0)!).filter((code_point) => !isInvisible(code_point));
  if (needed.length === 0) return undefined;
  for (const family of ["latin", "arabic", "hebrew", ...EAST_ASIAN[hint]] as const) {
    for (const part of partsOf(family)) {
      if (!needed.every((code_point) => includes(part.ranges, code_point))) continue;
      const face = open(part);
      if (needed.every((code_point) => face.regular.hasGlyphForCodePoint(code_point))) return face;
    }
  }
  return undefined;
}

function open({ file }: Part): Face {
  const known = opened.get(file);
  if (known !== undefined) return known;
  const bytes = sfntOf(readFileSync(file));
  const font = create(bytes);
  const name = basename(file, ".woff2");
  const face = { name, regular: atWeight(font, name, REGULAR), bold: atWeight(font, name, BOLD), bytes: bytes.length };
  opened.set(file, face);
  return face;
}

/** Joiners change how their neighbors look and have no look of their own. */
const isInvisible = (code_point: number) => code_point === 0x200c || code_point === 0x200d;

/**
 * pdfkit takes fonts of the same name for the same font. The library remembers with each glyph the first text that used it, so
 * that a document's bytes would depend on the documents before it. So we name the character that the font maps to the glyph.
 */
function atWeight(font: Font, name: string, wght: number): Font {
  const varied = font.getVariation({ wght });
  const characters = new Map<number, number>();
  for (const code_point of varied.characterSet) {
    const { id } = varied.glyphForCodePoint(code_point);
    if (!characters.has(id)) characters.set(id, code_point);
  }
  const layout = varied.layout.bind(varied);
  return Object.defineProperties(varied, {
    postscriptName: { value: `${name}-${wght}` },
    createSubset: { value: () => subsetOf(varied) },
    layout: {
      value: (...given: Parameters<Font["layout"]>) => {
        const run = layout(...given);
        run.glyphs = run.glyphs.map(({ id, advanceWidth }) => {
          const character = characters.get(id);
          return { id, advanceWidth, codePoints: character === undefined ? [] : [character] };
        });
        return run;
      },
    },
  });
}

type Range = readonly [from: number, to: number];
type Part = { file: string; ranges: readonly Range[] };

const require = createRequire(import.meta.url);
const addressOf = (name: string, file: string) => require.resolve(`@fontsource-variable/${name}/${file}`);

const parts = new Map<FamilyName, Part[]>();

function partsOf(name: FamilyName): Part[] {
  const known = parts.get(name);
  if (known !== undefined) return known;
  const { name: folder, parts: wanted } = families[name];
  const listed = JSON.parse(readFileSync(addressOf(folder, "unicode.json"), "utf8")) as Record<string, string>;
  const read = Object.entries(listed)
    .filter(([part]) => wanted.test(part))
    .map(([part, ranges]) => ({
      file: addressOf(folder, `files/${folder}-${part.replaceAll(/[[\]]/g, "")}-wght-normal.woff2`),
      ranges: ranges.split(",").map(readRange),
    }));
  parts.set(name, read);
  return read;
}

/** "U+20-7e", or one character. */
function readRange(text: string): Range {
  const [from, to = from] = text.trim().replace(/^U\+/i, "").split("-") as [string, string?];
  return [Number.parseInt(from, 16), Number.parseInt(to!, 16)];
}

const includes = (ranges: readonly Range[], code_point: number) =>
  ranges.some(([from, to]) => code_point >= from && code_point <= to);
