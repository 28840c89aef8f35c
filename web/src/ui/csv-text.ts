/** Formats rows as CSV. Escapes text that a spreadsheet would run as a formula. */
export const csvText = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

function cell(value: unknown): string {
  const plain = Array.isArray(value) ? value.join(";") : String(value ?? "");
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
