import type { Bidi } from "bidi-js";
import { isWinAnsiText } from "../../domain/values/printable-text.ts";
import type { Bars, Matrix } from "./barcode.ts";
import type { Faces } from "./fonts/faces.ts";
import { loadFonts } from "./fonts/load-fonts.ts";
import {
  clustersOf,
  isRightToLeft,
  markedLine,
  type Run,
  rejoined,
  runsOf,
  unmarked,
  WORD_JOINER,
} from "./fonts/runs.ts";
import { printableText } from "./fonts/unprintable.ts";

/** Points (1/72 inch) from the top left corner. */
type Place = { x: number; y: number; width: number };
export type Style = { size: number; bold?: true; align?: "left" | "center" | "right" };

/** Pages of one size with text, rules and barcodes. All text stays within its width. */
export type Sheet = {
  readonly width: number;
  readonly height: number;
  /** Splits the text into lines no wider than `width`; breaks words that are wider. */
  wrap(text: string, width: number, style: Style): string[];
  /** The text of lines from `wrap`. */
  unwrap(lines: readonly string[]): string;
  /** Lines with embedded fonts are taller: many alphabets have marks above and below. */
  lineHeight(style: Style, text?: string): number;
  /** Draws one line from `wrap`. */
  line(text: string, place: Place, style: Style): void;
  /** Draws the wrapped text and returns the y of the next line. */
  write(text: string, place: Place, style: Style): number;
  /** Fits the text into a box by shrinking it down to `least`, then truncating with "…". */
  fit(text: string, place: Place & { height: number }, style: Style & { least: number }): void;
  rule(place: Place, thickness?: number): void;
  frame(place: Place & { height: number }, thickness?: number): void;
  bars(bars: Bars, place: Place & { height: number }): void;
  matrix(matrix: Matrix, place: Place): void;
  nextPage(): void;
};

const REGULAR = "Helvetica";
const BOLD = "Helvetica-Bold";
const QUIET_MODULES = 10;
const LEADING = 1.18;
const TALL_LEADING = 1.42;
/** Of the standard fonts, relative to the size: from the top of a line to its baseline. */
const ASCENT = 0.718;
/** How far the baseline of a tall line is below that of a normal one. */
const TALL_DROP = 0.16;
/**
 * A PDF with the pages that `draw` creates. The same content gives the same bytes. Imports the library on first use,
 * because it takes half a second and 28 MB.
 */
export async function drawPdf(
  page: { width: number; height: number; title: string; date: string; sandbox: boolean },
  draw: (sheet: Sheet) => void | Promise<void>,
): Promise<Buffer> {
  const [{ default: PDFDocument }, fonts] = await Promise.all([import("pdfkit"), loadFonts()]);
  const pdf = new PDFDocument({
    size: [page.width, page.height],
    margin: 0,
    lang: "en-US",
    displayTitle: true,
    info: {
      Title: page.title,
      Creator: "Pestle",
      Producer: "Pestle",
      CreationDate: new Date(`${page.date}T00:00:00Z`),
    },
  });
  const finished = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
    pdf.on("end", () => resolve(Buffer.concat(chunks)));
    pdf.on("error", reject);
  });
  if (page.sandbox) markVoid(pdf, page);
  await draw(sheetOf(pdf, page, fonts()));
  pdf.end();
  return finished;
}

type Page = { width: number; height: number; sandbox: boolean };

const VOID = "VOID";
const VOID_COLOR = "#c8c8c8";
/** Relative to the page's width. The word is then 2.5 times as wide. */
const VOID_SIZE = 0.35;

/** Behind the text, so that the document stays readable and its barcodes can be scanned. */
function markVoid(pdf: PDFKit.PDFDocument, { width, height }: Page) {
  const size = width * VOID_SIZE;
  pdf.save().font(BOLD).fontSize(size).fillColor(VOID_COLOR);
  pdf.text(VOID, (width - pdf.widthOfString(VOID)) / 2, (height - size) / 2, { lineBreak: false });
  pdf.restore();
}

/** Features, even none, keep the library from laying out each word by itself, which would reverse their order. */
const WHOLE_RUN = { features: [] };

type Fonts = { faces: () => Faces; bidi: Bidi };

function sheetOf(pdf: PDFKit.PDFDocument, page: Page, { faces, bidi }: Fonts): Sheet {
  const { width, height } = page;
  const use = ({ size, bold }: Style) => pdf.font(bold ? BOLD : REGULAR).fontSize(size);
  const lineHeight = ({ size }: Style, text = "") => size * (isWinAnsiText(text) ? LEADING : TALL_LEADING);

  // The type asks for a file; the library also takes an open font.
  const useRun = ({ face }: Run, { size, bold }: Style) =>
    pdf.font((bold ? face.bold : face.regular) as unknown as Buffer, `${face.name} ${bold}`).fontSize(size);

  const runWidth = (run: Run, style: Style) => useRun(run, style).widthOfString(run.text, WHOLE_RUN);

  const lineWidth = (text: string, style: Style) =>
    isWinAnsiText(text)
      ? use(style).widthOfString(text)
      : runsOf(text, faces(), bidi).reduce((sum, run) => sum + runWidth(run, style), 0);

  function line(text: string, { x, y, width: room }: Place, style: Style) {
    const standard = isWinAnsiText(text);
    const width = lineWidth(text, style);
    const align = style.align ?? (!standard && isRightToLeft(text, bidi) ? "right" : "left");
    const left = x + { left: 0, center: (room - width) / 2, right: room - width }[align];
    if (standard) use(style).text(text, left, y, { lineBreak: false });
    else drawRuns(text, left, y + (ASCENT + TALL_DROP) * style.size, style);
  }

  function drawRuns(text: string, left: number, baseline: number, style: Style) {
    let x = left;
    // Readers that search or speak the text get it as it was written.
    pdf.markContent("Span", { actual: unmarked(text) });
    for (const run of runsOf(text, faces(), bidi)) {
      const width = runWidth(run, style);
      pdf.text(run.text, x, baseline, { ...WHOLE_RUN, lineBreak: false, baseline: "alphabetic" });
      x += width;
    }
    pdf.endMarkedContent();
  }

  function wrap(text: string, room: number, style: Style): string[] {
    const printed = printableText(text, faces);
    if (isWinAnsiText(printed)) {
      const font = use(style);
      return wrapped(printed, (piece) => font.widthOfString(piece) <= room);
    }
    const right_to_left = isRightToLeft(printed, bidi);
    const widthOf = (piece: string) => lineWidth(markedLine(piece, right_to_left), style);
    return wrappedParts(unmarked(printed), widthOf, room).map((line) => markedLine(line, right_to_left));
  }

  function write(text: string, place: Place, style: Style): number {
    let y = place.y;
    for (const piece of wrap(text, place.width, style)) {
      line(piece, { ...place, y }, style);
      y += lineHeight(style, piece);
    }
    return y;
  }

  return {
    width,
    height,
    wrap,
    unwrap: rejoined,
    lineHeight,
    line,
    write,
    fit(text, { height: room, ...place }, { least, ...style }) {
      const most = (size: number) => Math.max(1, Math.floor(room / lineHeight({ ...style, size }, text)));
      let size = style.size;
      while (size > least && wrap(text, place.width, { ...style, size }).length > most(size)) size -= 0.5;
      const lines = wrap(text, place.width, { ...style, size });
      const shown = lines.slice(0, most(size));
      if (shown.length < lines.length) {
        const fits = (piece: string) => lineWidth(`${piece}…`, { ...style, size }) <= place.width;
        shown[shown.length - 1] = `${shortened(shown.at(-1) ?? "", fits)}…`;
      }
      let y = place.y;
      for (const piece of shown) {
        line(piece, { ...place, y }, { ...style, size });
        y += lineHeight({ ...style, size }, piece);
      }
    },
    rule({ x, y, width }, thickness = 0.75) {
      pdf.rect(x, y, width, thickness).fill("black");
    },
    frame({ x, y, width, height }, thickness = 0.75) {
      pdf.lineWidth(thickness).rect(x, y, width, height).stroke("black");
    },
    bars(bars, { x, y, width, height }) {
      const module = width / (bars.reduce((sum, wide) => sum + wide, 0) + 2 * QUIET_MODULES);
      let left = x + QUIET_MODULES * module;
      bars.forEach((wide, index) => {
        if (index % 2 === 0) pdf.rect(left, y, wide * module, height);
        left += wide * module;
      });
      pdf.fill("black");
    },
    matrix(matrix, { x, y, width }) {
      const module = width / matrix.length;
      matrix.forEach((row, down) => {
        row.forEach((dark, across) => {
          if (dark) pdf.rect(x + across * module, y + down * module, module, module);
        });
      });
      pdf.fill("black");
    },
    nextPage() {
      pdf.addPage();
      if (page.sandbox) markVoid(pdf, page);
    },
  };
}

/** Lines of whole words; splits words that do not fit on a line. */
function wrapped(text: string, fits: (piece: string) => boolean): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of text.split(" ").filter((part) => part !== "")) {
    const longer = current === "" ? word : `${current} ${word}`;
    if (fits(longer)) {
      current = longer;
      continue;
    }
    if (current !== "") lines.push(current);
    current = word;
    while (!fits(current) && current.length > 1) {
      const piece = toHyphen(shortened(current, fits));
      lines.push(piece);
      current = current.slice(piece.length);
    }
  }
  return current === "" ? lines : [...lines, current];
}

/** East Asian text has no spaces: a line can end after any character, but not before a closing mark. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー][\p{M}]*[\p{Pe}\p{Pf}、。，．：；！？・%％]*/gu;

/** The same for text in embedded fonts. Adds up the widths of its parts, because laying out every attempt takes long. */
function wrappedParts(text: string, widthOf: (piece: string) => number, room: number): string[] {
  const space = widthOf(" ");
  const lines: string[] = [];
  let current = "";
  let used = 0;
  const end = (joiner: string) => {
    if (current !== "") lines.push(`${current}${joiner}`);
    current = "";
    used = 0;
  };
  for (const word of text.split(" ").filter((part) => part !== "")) {
    let gap = current === "" ? "" : " ";
    for (const [index, part] of partsOf(word).entries()) {
      let rest = part;
      let width = widthOf(rest);
      if (used + (gap === "" ? 0 : space) + width > room) {
        end(index === 0 ? "" : WORD_JOINER);
        gap = "";
      }
      while (width > room && clustersOf(rest).length > 1) {
        const piece = toHyphen(shortened(rest, (shorter) => widthOf(shorter) <= room));
        lines.push(`${piece}${WORD_JOINER}`);
        rest = rest.slice(piece.length);
        width = widthOf(rest);
      }
      current += `${gap}${rest}`;
      used += (gap === "" ? 0 : space) + width;
      gap = "";
    }
  }
  end("");
  return lines;
}

/** A word, or the characters of an East Asian one. */
function partsOf(word: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { 0: part, index } of word.matchAll(UNSPACED)) {
    if (index > from) parts.push(word.slice(from, index));
    parts.push(part);
    from = index + part.length;
  }
  return from < word.length ? [...parts, word.slice(from)] : parts;
}

/** A word that is split ends its line after a hyphen of its own, if it has one there. */
const toHyphen = (piece: string): string => /^.+-/u.exec(piece)?.[0] ?? piece;

/** As many characters as fit, at least one. */
function shortened(text: string, fits: (piece: string) => boolean): string {
  const parts = isWinAnsiText(text) ? text : clustersOf(text);
  const first = (length: number) =>
    typeof parts === "string" ? parts.slice(0, length) : parts.slice(0, length).join("");
  let length = parts.length;
  while (length > 1 && !fits(first(length))) length -= 1;
  return first(length);
}
