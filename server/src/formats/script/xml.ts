import { SaxesParser } from "saxes";

/**
 * The only door for XML. Bytes or text in; out comes a frozen tree of local names and trimmed texts, or the reason
 * why not. Nothing behind this door knows prefixes, namespaces, entities or encodings.
 */
export function parseXml(source: Uint8Array | string, limits: XmlLimits = XML_LIMITS): ParsedXml {
  const decoded = typeof source === "string" ? source : decode(source, limits);
  if (typeof decoded !== "string") return decoded;
  if (decoded.length > limits.bytes) return TOO_LARGE;
  // Looked for before anything is parsed: what may define entities or steer a processor has no place in a message.
  if (FORBIDDEN.test(decoded)) return { ok: false, why: "forbidden" };
  // Blank lines before the declaration are an error in XML and a habit of senders.
  return parse(decoded.trimStart(), limits);
}

export interface XmlElement {
  /** Without prefix. */
  readonly name: string;
  /** By local name; declarations of namespaces and `xsi:` and `xml:` attributes are left out, and blank ones. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Its own text, without that of its children, trimmed. */
  readonly text: string;
  readonly children: readonly XmlElement[];
  readonly parent: XmlElement | null;
  /** It says nothing: senders write `<Identification/>` where they mean "none". */
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

/** The first child of that name that says something. */
export function child(element: XmlElement, name: string): XmlElement | null {
  return element.children.find((candidate) => candidate.name === name && !candidate.empty) ?? null;
}

/** All children of that name that say something. */
export function children(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((candidate) => candidate.name === name && !candidate.empty);
}

/** Names from the root down: never a value. */
export function pathOf(element: XmlElement): string {
  return element.parent === null ? element.name : `${pathOf(element.parent)}/${element.name}`;
}

const TOO_LARGE = { ok: false, why: "too_large" } as const;
const BAD_ENCODING = { ok: false, why: "encoding" } as const;

/** Any markup declaration but comments and CDATA; any processing instruction but the XML declaration. */
const FORBIDDEN = /<!(?!--|\[CDATA\[)|<\?(?!xml\s)/;
const DECLARED_ENCODING = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"']*)["']/;
const UTF8_NAMES = /^(utf-?8|us-ascii|ascii)$/i;
const IGNORED_PREFIXES = /^(xmlns|xsi|xml)(:|$)/;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A text that was inside another document is past its encoding; only bytes are held to what they declare. */
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

/** Stops the parser, which knows no other way to be stopped. */
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
  // XML 1.1 would let control characters in.
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
