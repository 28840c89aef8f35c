import type { Sheet, Style } from "./sheet.ts";

/** A column of text that continues on the next page when it is full. */
export type Flow = {
  y: number;
  paragraph(text: string, style: Style, options?: { indent?: number; gap?: number }): void;
  /** Cells side by side, each with its own width; long cells make the row taller. */
  row(cells: readonly string[], widths: readonly number[], style: Style, gap?: number): void;
  /** Starts a new page unless this much height is free. */
  need(height: number): void;
};

type Column = { x: number; width: number; top: number; bottom: number };

/** `begin` draws the header of each further page and returns its free column. */
export function flowOn(sheet: Sheet, first: Column, begin: (page: number) => Column): Flow {
  let column = first;
  let page = 1;

  const flow: Flow = {
    y: first.top,
    paragraph(text, style, { indent = 0, gap = 0 } = {}) {
      // The next page's column can be wider, so wrap the rest again there.
      let rest = sheet.wrap(text, column.width - indent, style);
      if (rest.length <= KEPT_TOGETHER) flow.need(heightOf(rest, style));
      while (rest.length > 0) {
        const height = sheet.lineHeight(style, rest[0]);
        if (flow.y + height > column.bottom) {
          nextPage();
          rest = sheet.wrap(sheet.unwrap(rest), column.width - indent, style);
        }
        const [line, ...after] = rest as [string, ...string[]];
        sheet.line(line, { x: column.x + indent, y: flow.y, width: column.width - indent }, style);
        flow.y += height;
        rest = after;
      }
      flow.y += gap;
    },
    row(cells, widths, style, gap = 0) {
      const wrapped = cells.map((cell, index) => sheet.wrap(cell, widths[index]! - CELL_GAP, style));
      for (let index = 0; index < Math.max(...wrapped.map((lines) => lines.length)); index++) {
        const height = sheet.lineHeight(style, wrapped.map((lines) => lines[index] ?? "").join(""));
        flow.need(height);
        let x = column.x;
        wrapped.forEach((lines, cell) => {
          const line = lines[index];
          if (line !== undefined)
            sheet.line(line, { x, y: flow.y, width: widths[cell]! - CELL_GAP }, { align: "left", ...style });
          x += widths[cell]!;
        });
        flow.y += height;
      }
      flow.y += gap;
    },
    need(height) {
      if (flow.y + height > column.bottom) nextPage();
    },
  };

  const heightOf = (lines: readonly string[], style: Style) =>
    lines.reduce((sum, line) => sum + sheet.lineHeight(style, line), 0);

  function nextPage() {
    page += 1;
    sheet.nextPage();
    column = begin(page);
    flow.y = column.top;
  }

  return flow;
}

const CELL_GAP = 8;
/** Paragraphs of up to this many lines stay on one page. */
const KEPT_TOGETHER = 3;
