import { setImmediate } from "node:timers/promises";
import { americanDate, dialled, type PharmacyFacts, type PrintedReport } from "../../domain/fulfillment/documents.ts";
import { flowOn } from "./flow.ts";
import { drawPdf, type Sheet } from "./sheet.ts";

/** Letter size, landscape. */
const WIDTH = 792;
const HEIGHT = 612;
const EDGE = 30;
const ROOM = WIDTH - 2 * EDGE;
const TEXT = { size: 7 } as const;
const HEAD = { size: 7, bold: true } as const;
const CELL_GAP = 8;
const ROWS_AT_ONCE = 20;

/** A report for inspectors: a table whose headings repeat on each page. */
export const report = (pharmacy: PharmacyFacts, given: PrintedReport): Promise<Buffer> =>
  drawPdf({ width: WIDTH, height: HEIGHT, title: given.title, date: given.date, sandbox: given.sandbox }, (sheet) =>
    draw(sheet, pharmacy, given),
  );

async function draw(sheet: Sheet, pharmacy: PharmacyFacts, { title, from, to, made_at, columns, rows }: PrintedReport) {
  const share = ROOM / columns.reduce((sum, { width }) => sum + width, 0);
  const widths = columns.map(({ width }) => width * share);
  const days = from === to ? americanDate(from) : `${americanDate(from)} to ${americanDate(to)}`;

  const headings = (top: number): number => {
    let x = EDGE;
    const bottoms = columns.map(({ title: heading }, index) => {
      const bottom = sheet.write(heading, { x, y: top, width: widths[index]! - CELL_GAP }, HEAD);
      x += widths[index]!;
      return bottom;
    });
    const bottom = Math.max(...bottoms) + 2;
    sheet.rule({ x: EDGE, y: bottom, width: ROOM });
    return bottom + 4;
  };
  const begin = (page: number) => {
    const foot = `${title} · ${days} · made ${made_at} · page ${page}`;
    sheet.line(foot, { x: EDGE, y: HEIGHT - 22, width: ROOM }, { size: 7, align: "right" });
    const top = page === 1 ? firstTop() : EDGE;
    return { x: EDGE, width: ROOM, top: headings(top), bottom: HEIGHT - EDGE };
  };
  const firstTop = (): number => {
    const place = { x: EDGE, width: ROOM };
    const { name, street, city, state, zip, phone, npi, dea } = pharmacy;
    let y = sheet.write(title, { ...place, y: EDGE - 6 }, { size: 14, bold: true });
    y = sheet.write(days, { ...place, y: y + 1 }, { size: 9 });
    const numbers = [npi === "" ? "" : `NPI ${npi}`, dea === "" ? "" : `DEA ${dea}`].filter((text) => text !== "");
    const who = [name, `${street}, ${city}, ${state} ${zip}`, dialled(phone), ...numbers].join(" · ");
    return sheet.write(who, { ...place, y: y + 1 }, { size: 8 }) + 8;
  };

  const flow = flowOn(sheet, begin(1), begin);
  for (const [place, cells] of rows.entries()) {
    // Thousands of rows take seconds, and other requests must not wait for all of them.
    if (place % ROWS_AT_ONCE === 0) await setImmediate();
    // A row that starts on the last line of a page would be torn.
    flow.need(2 * sheet.lineHeight(TEXT));
    flow.row(cells, widths, TEXT, 3);
  }
  flow.y += 4;
  flow.paragraph(rows.length === 0 ? "No rows in these days." : `${rows.length} rows.`, HEAD);
}
