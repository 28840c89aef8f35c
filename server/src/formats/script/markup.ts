/** XML output. Only `element` creates it, so no unescaped text can get into a message. */
export class Markup {
  readonly xml: string;
  constructor(xml: string) {
    this.xml = xml;
  }
}

type Content = string | null | readonly (Markup | null)[];

/** An element with text or child elements; null if it would be empty. */
export function element(name: string, content: Content, attributes: Record<string, string | null> = {}): Markup | null {
  const inner =
    typeof content === "string" ? escapeXml(content) : (content ?? []).map((part) => part?.xml ?? "").join("");
  return inner === "" ? null : new Markup(`<${name}${attributesXml(attributes)}>${inner}</${name}>`);
}

/** An element whose presence carries meaning: written even if empty. */
export function mark(name: string, content: Content = null): Markup {
  return element(name, content) ?? new Markup(`<${name}/>`);
}

export function document(root: Markup | null): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root?.xml ?? ""}`;
}

function attributesXml(attributes: Record<string, string | null>): string {
  return Object.entries(attributes)
    .map(([name, value]) => (value === null ? "" : ` ${name}="${escapeXml(value)}"`))
    .join("");
}

/** Escapes newlines and tabs, which a parser would normalize. Replaces characters that XML forbids with U+FFFD. */
function escapeXml(text: string): string {
  return text.replace(UNWRITABLE, "\uFFFD").replace(/[&<>"'\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a message must not contain them.
const UNWRITABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;
