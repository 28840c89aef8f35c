import { inflateSync } from "node:zlib";

export type PdfText = { text: string; x: number; y: number; size: number; font: string; embedded?: Embedded };
/** A line in embedded fonts: its width, and whether it shows the sign of a missing character. */
type Embedded = { width: number; missing: boolean };
type PdfFont = { name: string; widths: number[] | null };
type PdfBox = { x: number; y: number; width: number; height: number };
type PdfPage = { width: number; height: number; texts: PdfText[]; boxes: PdfBox[] };

type Matrix = [number, number, number, number, number, number];

/**
 * The text and positions on the pages of a PDF: an independent reader of the few operators that a simple page needs.
 * Positions are in points from the top left corner; the `y` of a text is its baseline. A line in embedded fonts has the
 * text that the page gives for it.
 */
export function readPdf(file: Buffer): PdfPage[] {
  const source = file.toString("latin1");
  const objects = new Map<string, { dictionary: string; stream: string }>();
  for (const match of source.matchAll(/(\d+) 0 obj\n([\s\S]*?)(?=\nendobj|\nstream\n)/g)) {
    const [whole, id, dictionary] = match as unknown as [string, string, string];
    const after = match.index + whole.length;
    const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1] ?? 0);
    const begin = after + "\nstream\n".length;
    const isStream = source.startsWith("\nstream\n", after);
    objects.set(id, { dictionary, stream: isStream ? inflated(file.subarray(begin, begin + length)) : "" });
  }
  const object = (id: string) => objects.get(id)!;
  const kids = [...objects.values()].find(({ dictionary }) => /\/Type \/Pages\b/.test(dictionary))!.dictionary;
  return [.../\/Kids \[(.*?)\]/s.exec(kids)![1]!.matchAll(/(\d+) 0 R/g)].map(([, id]) => {
    const page = object(id!).dictionary;
    const [, width, height] = /\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/.exec(page)!;
    const resources = object(/\/Resources (\d+) 0 R/.exec(page)![1]!).dictionary;
    const fonts = new Map(
      [...(/\/Font <<(.*?)>>/s.exec(resources)?.[1] ?? "").matchAll(/\/(\w+) (\d+) 0 R/g)].map(([, name, font]) => [
        name!,
        readFont(font!, object),
      ]),
    );
    const content = object(/\/Contents (\d+) 0 R/.exec(page)![1]!).stream;
    return drawn(content, fonts, Number(width), Number(height));
  });
}

function readFont(id: string, object: (id: string) => { dictionary: string }): PdfFont {
  const { dictionary } = object(id);
  const name = /\/BaseFont \/([\w+-]+)/.exec(dictionary)![1]!;
  const [, descendant] = /\/DescendantFonts \[(\d+) 0 R\]/.exec(dictionary) ?? [];
  if (descendant === undefined) return { name, widths: null };
  const widths = /\/W \[0 \[(.*?)\]\]/s.exec(object(descendant).dictionary)![1]!;
  return { name, widths: widths.trim().split(/\s+/).map(Number) };
}

/** All text of a document, in the order in which it was written. */
export const textOf = (file: Buffer): string =>
  readPdf(file)
    .flatMap(({ texts }) => texts.map(({ text }) => text))
    .join(" ");

const inflated = (bytes: Buffer) => inflateSync(bytes).toString("latin1");

function drawn(content: string, fonts: Map<string, PdfFont>, width: number, height: number): PdfPage {
  const page: PdfPage = { width, height, texts: [], boxes: [] };
  const stack: Matrix[] = [];
  let base: Matrix = [1, 0, 0, 1, 0, 0];
  let text: Matrix = base;
  let font: PdfFont = { name: "", widths: null };
  let size = 0;
  let span: (PdfText & { embedded: Embedded }) | undefined;
  let operands: string[] = [];
  const at = (matrix: Matrix, x: number, y: number): [number, number] => [
    matrix[0] * x + matrix[2] * y + matrix[4],
    height - (matrix[1] * x + matrix[3] * y + matrix[5]),
  ];
  for (const [token] of content.matchAll(/\((?:\\[\s\S]|[^\\()])*\)|\[[^\]]*\]|\/[\w.]+|-?[\d.]+|[A-Za-z*]+/g)) {
    if (/^[([/\d.-]/.test(token)) {
      operands.push(token);
      continue;
    }
    const numbers = operands.map(Number);
    if (token === "q") stack.push(base);
    if (token === "Q") base = stack.pop()!;
    if (token === "cm") base = multiply(numbers as Matrix, base);
    if (token === "Tm") text = multiply(numbers as Matrix, base);
    if (token === "Tf") [font, size] = [fonts.get(operands[0]!.slice(1))!, Number(operands[1])];
    if (token === "BDC") {
      const actual = operands[operands.indexOf("/ActualText") + 1]!;
      span = { text: readString(actual), x: Infinity, y: 0, size: 0, font: "", embedded: { width: 0, missing: false } };
    }
    if (token === "EMC" && span !== undefined) {
      page.texts.push(span);
      span = undefined;
    }
    if (token === "TJ") {
      const [x, y] = at(text, 0, 0);
      const hex = [...operands[0]!.matchAll(/<([0-9a-f]*)>/g)].map(([, part]) => part).join("");
      if (font.widths === null) {
        page.texts.push({ text: fromWinAnsi(Buffer.from(hex, "hex")), x, y, size, font: font.name });
      } else {
        const glyphs = (hex.match(/.{4}/g) ?? []).map((code) => Number.parseInt(code, 16));
        const before = span!.embedded.width === 0 ? x : span!.x + span!.embedded.width;
        const right = Math.max(before, x + lengthOf(operands[0]!, font.widths, size));
        const left = Math.min(span!.x, x);
        const missing = span!.embedded.missing || glyphs.includes(0);
        span = { ...span!, x: left, y, size, font: font.name, embedded: { width: right - left, missing } };
      }
    }
    if (token === "re") {
      const [x, y, wide, high] = numbers as [number, number, number, number];
      const [left, top] = at(base, x, y);
      const [right, bottom] = at(base, x + wide, y + high);
      page.boxes.push({
        x: Math.min(left, right),
        y: Math.min(top, bottom),
        width: Math.abs(right - left),
        height: Math.abs(bottom - top),
      });
    }
    operands = [];
  }
  return page;
}

/** Glyphs have four digits each; a number between them moves the next one to the left. */
function lengthOf(array: string, widths: readonly number[], size: number): number {
  let sum = 0;
  for (const [, glyphs, moved] of array.matchAll(/<([0-9a-f]*)>|(-?[\d.]+)/g)) {
    if (moved !== undefined) sum -= Number(moved);
    for (const code of glyphs?.match(/.{4}/g) ?? []) sum += widths[Number.parseInt(code, 16)] ?? 0;
  }
  return (sum * size) / 1000;
}

/** A string in parentheses: ASCII, or UTF-16 after its mark. */
function readString(literal: string): string {
  const escapes: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };
  const raw = literal.slice(1, -1).replaceAll(/\\([\s\S])/g, (_, char: string) => escapes[char] ?? char);
  const bytes = Buffer.from(raw, "latin1");
  return raw.startsWith("\u00fe\u00ff") ? bytes.subarray(2).swap16().toString("utf16le") : raw;
}

const multiply = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[1] * b[2],
  a[0] * b[1] + a[1] * b[3],
  a[2] * b[0] + a[3] * b[2],
  a[2] * b[1] + a[3] * b[3],
  a[4] * b[0] + a[5] * b[2] + b[4],
  a[4] * b[1] + a[5] * b[3] + b[5],
];

/** Windows-1252 is what PDF calls WinAnsi. */
const fromWinAnsi = (bytes: Buffer) => new TextDecoder("windows-1252").decode(bytes);
