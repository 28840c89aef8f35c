import { parseXml, type XmlElement } from "../../../src/formats/script/xml.ts";

/** Variations that senders use. The numbers come from the caller, so that a property can shrink. */
export interface Liberties {
  /** Elements of different names in any order; those of one name keep their order, because they form a list. */
  shuffle: boolean;
  /** A prefix for every element, as a system with namespaces writes. */
  prefix: string | null;
  /** Codes and qualifiers as attributes, and dates without their wrapper. */
  attributes: boolean;
  bare_dates: boolean;
  /** Empty elements, comments and blank lines between the others. */
  padding: boolean;
  /** The whole message escaped inside another document. */
  wrapped: boolean;
}

export function rewrite(xml: string, liberties: Liberties, next: () => number): string {
  const parsed = parseXml(xml);
  if (!parsed.ok) throw new Error("the sample is not XML");
  const message = emit(parsed.root, liberties, next);
  if (!liberties.wrapped) return `${liberties.padding ? "\n" : ""}<?xml version="1.0" encoding="UTF-8"?>${message}`;
  const inner = `<?xml version="1.0" encoding="utf-16"?>${message}`;
  return `<string xmlns="http://schemas.microsoft.com/2003/10/Serialization/">${escaped(inner)}</string>`;
}

const escaped = (text: string) => text.replace(/[&<>"\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`);

function emit(element: XmlElement, liberties: Liberties, next: () => number): string {
  const { prefix } = liberties;
  const name = prefix === null ? element.name : `${prefix}:${element.name}`;
  const attributes: Record<string, string> = { ...element.attributes };
  if (prefix !== null && element.parent === null) attributes[`xmlns:${prefix}`] = "urn:any";
  let children = [...element.children];
  let { text } = element;
  if (liberties.attributes && children.every(({ name }) => name === "Code" || name === "Qualifier")) {
    for (const { name, text } of children) attributes[name] = text;
    children = [];
  }
  if (liberties.bare_dates && children.length === 1 && children[0]?.name === "Date") {
    text = children[0].text;
    children = [];
  }
  const parts = (liberties.shuffle ? shuffled(children, next) : children).map((child) => emit(child, liberties, next));
  if (liberties.padding && text === "" && next() % 3 === 0) {
    const junk = [
      "\n  ",
      "<!-- a remark -->",
      "<Unheard><Of/></Unheard>",
      '<Note xsi:nil="true"/>',
      "<Identification> </Identification>",
    ];
    parts.splice(next() % (parts.length + 1), 0, junk[next() % junk.length] as string);
  }
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  return `<${name}${written.join("")}>${escaped(text)}${parts.join("")}</${name}>`;
}

function shuffled(elements: readonly XmlElement[], next: () => number): XmlElement[] {
  const names = elements.map(({ name }) => name);
  for (let at = names.length - 1; at > 0; at--) {
    const other = next() % (at + 1);
    [names[at], names[other]] = [names[other] as string, names[at] as string];
  }
  const left = [...elements];
  return names.map(
    (wanted) =>
      left.splice(
        left.findIndex(({ name }) => name === wanted),
        1,
      )[0] as XmlElement,
  );
}
