/** Text for a cell of a CSV file. A spreadsheet would run these as formulas, and the text comes from outside. */
export const spreadsheetText = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
