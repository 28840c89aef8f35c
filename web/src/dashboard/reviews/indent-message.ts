/** Formats a message with one element per line. It only changes whitespace, so malformed values stay visible. */
export function indentMessage(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith("<")) return indentXml(trimmed);
  return /^[[{]/.test(trimmed) ? indentJson(trimmed) : text;
}

const STEP = "  ";
const MARKUP = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[^>]*>|[^<]+|</g;

/** Keeps an element with only text on one line. */
function indentXml(text: string): string {
  const lines: string[] = [];
  let depth = 0;
  /** An open element with its text so far. */
  let open: string | null = null;
  const put = (line: string, at: number) => lines.push(STEP.repeat(Math.max(0, at)) + line);
  const settle = () => {
    if (open !== null) put(open, depth - 1);
    open = null;
  };
  for (const part of text.match(MARKUP) ?? []) {
    if (part.trim() === "") continue;
    if (part.startsWith("</")) {
      depth = Math.max(0, depth - 1);
      put((open ?? "") + part, depth);
      open = null;
    } else if (/^<[^?!>]/.test(part) && part.endsWith(">") && !part.endsWith("/>")) {
      settle();
      open = part;
      depth += 1;
    } else if (open !== null && !part.startsWith("<")) {
      open += part.trim();
    } else {
      settle();
      put(part.trim(), depth);
    }
  }
  settle();
  return lines.join("\n");
}

const TOKENS = /"(?:[^"\\]|\\[\s\S])*"|[{}[\],:]|[^\s{}[\],:"]+|"/g;

function indentJson(text: string): string {
  let shown = "";
  let depth = 0;
  let before = "";
  const newLine = () => `\n${STEP.repeat(depth)}`;
  for (const token of text.match(TOKENS) ?? []) {
    const closes = token === "}" || token === "]";
    if (closes) depth = Math.max(0, depth - 1);
    // Keep empty objects and arrays on one line.
    const opened = before === "{" || before === "[";
    if (closes ? !opened : opened || before === ",") shown += newLine();
    shown += token === ":" ? ": " : token;
    if (token === "{" || token === "[") depth += 1;
    before = token;
  }
  return shown;
}
