import { SaxesParser } from "saxes";

/**
 * The only XML entry point. Returns a frozen tree of local names and trimmed text, or the reason for failure. No other
 * code handles prefixes, namespaces, entities or encodings.
 */
export function parseXml(source: Uint8Array | string, limits: XmlLimits = XML_LIMITS): ParsedXml {
  const decoded = typeof source === "string" ? source : decode(source, limits);
  if (typeof decoded !== "string") return decoded;
  if (decoded.length > limits.bytes) return TOO_LARGE;
  // Checked before parsing: a message must not define entities or contain processing instructions.
  if (FORBIDDEN.test(decoded)) return { ok: false, why: "forbidden" };
  // Blank lines before the declaration are invalid XML, but senders write them.
  return parse(decoded.trimStart(), limits);
}

export interface XmlElement {
  /** Without prefix. */
  readonly name: string;
  /** By local name, without namespace declarations, `xsi:` and `xml:` attributes, and blank values. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own text, trimmed, without that of its children. */
  readonly text: string;
  readonly children: readonly XmlElement[];
  readonly parent: XmlElement | null;
  /** Contains no text or attributes at any depth: senders write `<Identification/>` for "none". */
  readonly empty: boolean;
}

export type ParsedXml =
  | { ok: true; root: XmlElement }
  | { ok: false; why: "encoding" | "malformed" | "forbidden" | "too_large" | "too_deep" | "too_many" };

export interface XmlLimits {
  bytes: number;
  depth: number;
  /** Elements and attributes together. */
  nodes: number;
}

const XML_LIMITS: XmlLimits = { bytes: 1024 * 1024, depth: 64, nodes: 20_000 };

/** The first non-empty child with that name. */
export function child(element: XmlElement, name: string): XmlElement | null {
  return element.children.find((candidate) => candidate.name === name && !candidate.empty) ?? null;
}

/** All non-empty children with that name. */
export function children(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((candidate) => candidate.name === name && !candidate.empty);
}

/** Element names from the root down, never values. */
export function pathOf(element: XmlElement): string {
  return element.parent === null ? element.name : `${pathOf(element.parent)}/${element.name}`;
}

const TOO_LARGE = { ok: false, why: "too_large" } as const;
const BAD_ENCODING = { ok: false, why: "encoding" } as const;

/** Markup declarations except comments and CDATA; processing instructions except the XML declaration. */
const FORBIDDEN = /<!(?!--|\[CDATA\[)|<\?(?!xml\s)/;
const DECLARED_ENCODING = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["']/;
const UTF8_NAMES = /^(utf-?8|us-ascii|ascii)$/i;
const IGNORED_PREFIXES = /^(xmlns|xsi|xml)(:|$)/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Checks the declared encoding of bytes. Text embedded in another document is already decoded. */
function decode(bytes: Uint8Array, limits: XmlLimits): string | ParsedXml {
  if (bytes.length > limits.bytes) return TOO_LARGE;
  try {
    const text = utf8.decode(bytes);
    const declared = DECLARED_ENCODING.exec(text)?.[1];
    return declared === undefined || UTF8_NAMES.test(declared) ? text : BAD_ENCODING;
  } catch {
    return BAD_ENCODING;
  }
}

/** Stops the parser: throwing is the only way. */
class Stop extends Error {
  readonly why: Extract<ParsedXml, { ok: false }>["why"];
  constructor(why: Stop["why"]) {
    super(why);
    this.why = why;
  }
}

type Open = { -readonly [Key in keyof XmlElement]: XmlElement[Key] } & { children: XmlElement[] };

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze(Object.create(null));
const NO_CHILDREN: XmlElement[] = Object.freeze([]) as unknown as XmlElement[];

function parse(text: string, limits: XmlLimits): ParsedXml {
  // XML 1.1 would allow control characters.
  const parser = new SaxesParser({ forceXMLVersion: true, defaultXMLVersion: "1.0" });
  let root: XmlElement | null = null;
  let current: Open | null = null;
  let depth = 0;
  let nodes = 0;
  const addText = (piece: string) => {
    if (current !== null) current.text += piece;
  };
  parser.on("error", () => {
    throw new Stop("malformed");
  });
  parser.on("attribute", () => {
    if (++nodes > limits.nodes) throw new Stop("too_many");
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("opentag", (tag) => {
    if (++depth > limits.depth) throw new Stop("too_deep");
    if (++nodes > limits.nodes) throw new Stop("too_many");
    const opened: Open = {
      name: localName(tag.name),
      attributes: attributesOf(tag.attributes as Record<string, string>),
      text: "",
      children: NO_CHILDREN,
      parent: current,
      empty: true,
    };
    if (current === null) root = opened;
    else if (current.children === NO_CHILDREN) current.children = [opened];
    else current.children.push(opened);
    current = opened;
  });
  parser.on("closetag", () => {
    const closed = current as Open;
    closed.text = closed.text.trim();
    closed.empty =
      closed.text === "" && closed.attributes === NO_ATTRIBUTES && closed.children.every(({ empty }) => empty);
    current = closed.parent as Open | null;
    Object.freeze(closed.children);
    Object.freeze(closed);
    depth--;
  });
  try {
    parser.write(text).close();
  } catch (error) {
    return { ok: false, why: error instanceof Stop ? error.why : "malformed" };
  }
  return root === null ? { ok: false, why: "malformed" } : { ok: true, root };
}

function attributesOf(raw: Record<string, string>): Readonly<Record<string, string>> {
  let attributes: Record<string, string> | null = null;
  for (const name of Object.keys(raw)) {
    const value = (raw[name] as string).trim();
    if (value === "" || IGNORED_PREFIXES.test(name)) continue;
    attributes ??= Object.create(null) as Record<string, string>;
    attributes[localName(name)] ??= value;
  }
  return attributes === null ? NO_ATTRIBUTES : Object.freeze(attributes);
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(":") + 1);
}
