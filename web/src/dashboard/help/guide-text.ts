/** The Markdown that the dashboard's guide uses, as data. Pictures are left out: the user sees the screen itself. */
export type Block =
  | { kind: "paragraph"; text: Inline[] }
  | { kind: "list"; ordered: boolean; items: Inline[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] };
export type Inline = { kind: "text" | "strong" | "code"; text: string } | { kind: "link"; text: string; href: string };

const HEADING = /^#{1,6} (.+)$/;

/** The lines below a heading, up to the next heading of any level. Null if the guide has no such heading. */
export function sectionOf(guide: string, heading: string): string | null {
  const lines = guide.split("\n");
  const start = lines.findIndex((line) => HEADING.exec(line)?.[1] === heading);
  if (start === -1) return null;
  const length = lines.slice(start + 1).findIndex((line) => HEADING.test(line));
  return lines.slice(start + 1, length === -1 ? undefined : start + 1 + length).join("\n");
}

export const blocksOf = (section: string): Block[] =>
  section
    .split(/\n\s*\n/)
    .flatMap(splitLists)
    .map((block) => block.trim())
    .filter((block) => block !== "" && !block.startsWith("!["))
    .map(blockOf);

const ITEM = /^(?:- |\d+\. )/;

/** A list can follow its paragraph without an empty line. */
function splitLists(block: string): string[] {
  const lines = block.split("\n");
  const list = lines.findIndex((line) => ITEM.test(line));
  return list < 1 ? [block] : [lines.slice(0, list).join("\n"), lines.slice(list).join("\n")];
}

function blockOf(block: string): Block {
  if (ITEM.test(block)) {
    const items = block.split(/\n(?=- |\d+\. )/).map((item) => inlineOf(item.replace(ITEM, "")));
    return { kind: "list", ordered: /^\d/.test(block), items };
  }
  if (block.startsWith("|")) {
    const [head = [], , ...rows] = block.split("\n").map(cellsOf);
    return { kind: "table", head, rows };
  }
  return { kind: "paragraph", text: inlineOf(block) };
}

const cellsOf = (line: string): Inline[][] =>
  line
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => inlineOf(cell.trim()));

const INLINE = /\*\*([^*]+)\*\*|`([^`]+)`|\[([^\]]+)\]\(([^)]+)\)/g;

function inlineOf(raw: string): Inline[] {
  const text = raw.replaceAll(/\s*\n\s*/g, " ");
  const parts: Inline[] = [];
  let end = 0;
  for (const { index, 0: whole, 1: strong, 2: code, 3: label, 4: target } of text.matchAll(INLINE)) {
    if (index > end) parts.push({ kind: "text", text: text.slice(end, index) });
    if (strong !== undefined) parts.push({ kind: "strong", text: strong });
    else if (code !== undefined) parts.push({ kind: "code", text: code });
    else parts.push({ kind: "link", text: label!, href: hrefOf(target!) });
    end = index + whole.length;
  }
  if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
  return parts;
}

/** Where the site serves a file that the guide names: `../exceptions.md#a` is `/docs/exceptions#a`. */
const hrefOf = (target: string): string =>
  target.startsWith("#")
    ? `${GUIDE}${target}`
    : new URL(target.replace(/\.md(?=#|$)/, ""), `https://site.example${GUIDE}`).href.replace(
        "https://site.example",
        "",
      );

/** The guide's own page. */
export const GUIDE = "/docs/guides/dashboard";
