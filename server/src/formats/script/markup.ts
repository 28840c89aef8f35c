/** XML being written: only `element` makes it, so that no text gets into a message unescaped. */
export class Markup {
  readonly xml: string;
  constructor(xml: string) {
    this.xml = xml;
  }
}

type Content = string | null | readonly (Markup | null)[];

/** An element with a text or with elements in it; nothing at all where there is nothing to say. */
export function element(name: string, content: Content, attributes: Record<string, string | null> = {}): Markup | null {
  const inner =
    typeof content === "string" ? escapeXml(content) : (content ?? []).map((part) => part?.xml ?? "").join("");
  return inner === "" ? null : new Markup(`<${name}${attributesXml(attributes)}>${inner}</${name}>`);
}

/** An element that says what it says by being there. */
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

/** Line ends and tabs are written as references, or a parser would change them; what XML has no room for, as U+FFFD. */
function escapeXml(text: string): string {
  return text.replace(UNWRITABLE, "\uFFFD").replace(/[&<>"'\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into a message.
const UNWRITABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu;
