/** A record of the file. It spans several lines if a quoted cell has line breaks; `line` is the first. */
export type CsvRecord = { line: number; cells: string[] };
export type CsvFault = { line: number; sentence: string };

const sentences = {
  open: "The opening quote of a cell is never closed.",
  stray: "A quote is in the middle of a cell. Quote the whole cell and double the quotes inside.",
  lone_cr: "A line ends in a carriage return without a line feed. Save the file with LF or CR LF.",
} as const;

// The inner group matches in only one way, so matching is linear in the length of the cell.
const QUOTED = /"([^"]*(?:""[^"]*)*)"/y;
const PLAIN = /[^",\r\n]*/y;
const CELL_END = /,|\r?\n|$/y;

/** RFC 4180, strictly: commas, quotes doubled inside quotes, lines that end in LF or CR LF. Skips blank lines. */
export function readCsv(text: string): { records: CsvRecord[]; faults: CsvFault[] } {
  const records: CsvRecord[] = [];
  const faults: CsvFault[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  let line = 1;
  let record: CsvRecord = { line, cells: [] };
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const finish = () => {
    if (record.cells.some((cell) => cell.trim() !== "")) records.push(record);
    record = { line, cells: [] };
  };

  while (at < text.length) {
    const quoted = text[at] === '"';
    const cell = match(quoted ? QUOTED : PLAIN);
    if (cell === null) {
      faults.push({ line, sentence: sentences.open });
      return { records, faults };
    }
    at += cell[0].length;
    line += lineEnds(cell[0]);
    record.cells.push(quoted ? (cell[1] as string).replaceAll('""', '"') : cell[0]);
    const end = match(CELL_END);
    if (end === null) {
      faults.push({ line, sentence: text[at] === "\r" ? sentences.lone_cr : sentences.stray });
      // The end of this cell is unknown, so parsing resumes at the next line.
      const next = text.indexOf("\n", at);
      at = next === -1 ? text.length : next + 1;
      line++;
      record = { line, cells: [] };
      continue;
    }
    at += end[0].length;
    if (end[0] === ",") {
      // A trailing comma is followed by an empty cell.
      if (at === text.length) record.cells.push("");
      continue;
    }
    line++;
    finish();
  }
  finish();
  return { records, faults };
}

const lineEnds = (text: string) => text.split("\n").length - 1;
