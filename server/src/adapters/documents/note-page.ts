import type { Paper } from "@pestle/contract";
import { drawPdf } from "./sheet.ts";

const SIZES = { "4x6": { width: 288, height: 432 }, letter: { width: 612, height: 792 } } as const;
const EDGE = 24;

/** A page with one sentence for the person at the printer. */
export function notePage(text: string, paper: Paper, date: string): Promise<Buffer> {
  const { width, height } = SIZES[paper];
  return drawPdf({ width, height, title: "Note", date, sandbox: false }, (sheet) => {
    sheet.write(text, { x: EDGE, y: EDGE, width: width - 2 * EDGE }, { size: 12, bold: true });
  });
}
