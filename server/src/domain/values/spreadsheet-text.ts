/**
 * Text for a cell of a CSV file. A spreadsheet would run these as formulas, and the text comes from outside. A negative number is
 * none, and stays one that the spreadsheet can add up.
 */
export const spreadsheetText = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^-\d+(\.\d+)?$/.test(text) ? `'${text}` : text;
