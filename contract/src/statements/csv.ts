/** Rows as CSV (RFC 4180). */
export const writeCsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `${cells.map(cellText).join(",")}\n`).join("");

/** Also quotes a cell with leading or trailing spaces, because some programs would drop them. */
const cellText = (cell: string) => (/[",\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/**
 * Text for a cell of a CSV file. A spreadsheet would run these as formulas, and the text comes from outside. A negative number is
 * none, and stays one that the spreadsheet can add up.
 */
export const spreadsheetText = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^-\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
