import { winAnsiText } from "../../domain/values/printable-text.ts";
import type { Bars, Matrix } from "./barcode.ts";

/** Points (1/72 inch) from the top left corner. */
type Place = { x: number; y: number; width: number };
export type Style = { size: number; bold?: true; align?: "left" | "center" | "right" };

/** Pages of one size with text, rules and barcodes. All text stays within its width. */
export type Sheet = {
  readonly width: number;
  readonly height: number;
  /** Splits the text into lines no wider than `width`; breaks words that are wider. */
  wrap(text: string, width: number, style: Style): string[];
  lineHeight(style: Style): number;
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
const LEADING = 1.18;
const QUIET_MODULES = 10;

/**
 * A PDF with the pages that `draw` creates. The same content gives the same bytes. Imports the library on first use,
 * because it takes half a second and 28 MB.
 */
export async function drawPdf(
  page: { width: number; height: number; title: string; date: string; sandbox: boolean },
  draw: (sheet: Sheet) => void | Promise<void>,
): Promise<Buffer> {
  const { default: PDFDocument } = await import("pdfkit");
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
  await draw(sheetOf(pdf, page));
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

function sheetOf(pdf: PDFKit.PDFDocument, page: Page): Sheet {
  const { width, height } = page;
  const use = ({ size, bold }: Style) => pdf.font(bold ? BOLD : REGULAR).fontSize(size);
  const lineHeight = ({ size }: Style) => size * LEADING;

  function line(text: string, { x, y, width: room }: Place, style: Style) {
    const width = use(style).widthOfString(text);
    const indent = { left: 0, center: (room - width) / 2, right: room - width }[style.align ?? "left"];
    pdf.text(text, x + indent, y, { lineBreak: false });
  }

  function wrap(text: string, room: number, style: Style): string[] {
    const font = use(style);
    const fits = (piece: string) => font.widthOfString(piece) <= room;
    return wrapped(winAnsiText(text), fits);
  }

  function write(text: string, place: Place, style: Style): number {
    let y = place.y;
    for (const piece of wrap(text, place.width, style)) {
      line(piece, { ...place, y }, style);
      y += lineHeight(style);
    }
    return y;
  }

  return {
    width,
    height,
    wrap,
    lineHeight,
    line,
    write,
    fit(text, { height: room, ...place }, { least, ...style }) {
      const most = (size: number) => Math.max(1, Math.floor(room / lineHeight({ ...style, size })));
      let size = style.size;
      while (size > least && wrap(text, place.width, { ...style, size }).length > most(size)) size -= 0.5;
      const lines = wrap(text, place.width, { ...style, size });
      const shown = lines.slice(0, most(size));
      if (shown.length < lines.length) {
        const font = use({ ...style, size });
        const cut = shortened(shown.at(-1) ?? "", (piece) => font.widthOfString(`${piece}…`) <= place.width);
        shown[shown.length - 1] = `${cut}…`;
      }
      shown.forEach((piece, index) => {
        line(piece, { ...place, y: place.y + index * lineHeight({ ...style, size }) }, { ...style, size });
      });
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
      const piece = shortened(current, fits);
      lines.push(piece);
      current = current.slice(piece.length);
    }
  }
  return current === "" ? lines : [...lines, current];
}

/** As many characters as fit, at least one. */
function shortened(text: string, fits: (piece: string) => boolean): string {
  let length = text.length;
  while (length > 1 && !fits(text.slice(0, length))) length -= 1;
  return text.slice(0, length);
}
