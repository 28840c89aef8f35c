/** A line of the file, or several where a quoted cell holds line ends; `line` is the first of them. */
export type CsvRecord = { line: number; cells: string[] };
export type CsvFault = { line: number; sentence: string };

const sentences = {
  open: "The quote that opens a cell is never closed.",
  stray: "A quote stands in the middle of a cell. Put the whole cell in quotes and double those inside.",
  lone_cr: "A line ends in a carriage return alone. Save the file with LF or CR LF.",
} as const;

// The inner group cannot match in two ways, so that a long cell costs no more than its length.
const QUOTED = /"([^"]*(?:""[^"]*)*)"/y;
const PLAIN = /[^",\r\n]*/y;
const CELL_END = /,|\r?\n|$/y;

/** RFC 4180, strictly: commas, quotes doubled inside quotes, lines that end in LF or CR LF. Blank lines are left out. */
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
      // Where this cell ends nobody knows: the next line is the next thing that can be trusted.
      const next = text.indexOf("\n", at);
      at = next === -1 ? text.length : next + 1;
      line++;
      record = { line, cells: [] };
      continue;
    }
    at += end[0].length;
    if (end[0] === ",") {
      // A comma at the very end is followed by an empty cell.
      if (at === text.length) record.cells.push("");
      continue;
    }
    line++;
    finish();
  }
  finish();
  return { records, faults };
}

export function writeCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cellText).join(",")}\n`).join("");
}

/** A cell that begins or ends with a blank is quoted too: some programs would drop the blank. */
const cellText = (cell: string) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const lineEnds = (text: string) => text.split("\n").length - 1;
