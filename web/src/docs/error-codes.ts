import type { ErrorCode } from "./openapi-document.ts";

const columns = ["Code", "Message", "Usual field", "What to do"];

/** Renders the OpenAPI document's error codes as a table. */
export function errorCodesTable(codes: ErrorCode[]): HTMLTableElement {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const title of columns) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const { code, message, field, resolution } of codes) {
    const row = body.insertRow();
    row.id = `error-${code}`;
    row.insertCell().textContent = String(code);
    row.insertCell().textContent = message;
    row.insertCell().append(codeElement(field));
    row.insertCell().append(...withCode(resolution));
  }
  return table;
}

/** Renders backticks as code. */
function withCode(text: string): (string | HTMLElement)[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? codeElement(part) : part));
}

function codeElement(text: string): HTMLElement {
  const code = document.createElement("code");
  code.textContent = text;
  return code;
}
