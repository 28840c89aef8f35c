/** A message with a line for each element, so that people can read it. What cannot be understood stays as it is. */
export function indentMessage(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith("<")) return indentXml(trimmed);
  try {
    return JSON.stringify(JSON.parse(trimmed), null, 2);
  } catch {
    return text;
  }
}

/** An element that holds text alone stays on one line. */
function indentXml(text: string): string {
  const parts = text.match(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[^>]*>|[^<]+/g) ?? [];
  const lines: string[] = [];
  let depth = 0;
  let open: string | null = null;
  for (const part of parts) {
    if (part.trim() === "") continue;
    if (part.startsWith("</")) {
      depth = Math.max(0, depth - 1);
      // Nothing but text came since it was opened.
      if (open !== null) lines.push(`${"  ".repeat(depth)}${open}${part}`);
      else lines.push(`${"  ".repeat(depth)}${part}`);
      open = null;
    } else if (/^<[^?!]/.test(part) && !part.endsWith("/>")) {
      if (open !== null) lines.push(`${"  ".repeat(depth - 1)}${open}`);
      open = part;
      depth += 1;
    } else if (open !== null && !part.startsWith("<")) {
      open += part.trim();
    } else {
      if (open !== null) lines.push(`${"  ".repeat(depth - 1)}${open}`);
      open = null;
      lines.push(`${"  ".repeat(depth)}${part.trim()}`);
    }
  }
  if (open !== null) lines.push(`${"  ".repeat(Math.max(0, depth - 1))}${open}`);
  return lines.join("\n");
}
