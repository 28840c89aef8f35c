/**
 * The kinds of elements in a page: each tag with its attributes' names, its classes and its parent, and each step from one
 * heading to the next. One template writes all pages of the documentation, so two pages of the same kinds differ only in text.
 */
function kindsOf(html: string): Set<string> {
  const kinds = new Set<string>();
  const open: string[] = [];
  let heading = "";
  for (const [, closing, tag = "", attributes = ""] of html.matchAll(/<(\/?)([a-z][a-z0-9-]*)((?:[^>"]|"[^"]*")*)>/g)) {
    if (closing === "/") {
      const at = open.lastIndexOf(tag);
      if (at >= 0) open.length = at;
      continue;
    }
    const names = [...attributes.matchAll(/([a-z-]+)(?:="([^"]*)")?/g)].map(([, name = "", value]) =>
      name === "class" || name === "role" ? `${name}=${value}` : name,
    );
    kinds.add(`${open.at(-1) ?? ""}>${tag} ${names.sort().join(" ")}`);
    if (/^h[1-6]$/.test(tag)) {
      kinds.add(`${heading} then ${tag}`);
      heading = tag;
    }
    if (!VOID.has(tag) && !attributes.endsWith("/")) open.push(tag);
  }
  return kinds;
}

const VOID = new Set([
  "area",
  "base",
  "br",
  "col",
  "embed",
  "hr",
  "img",
  "input",
  "link",
  "meta",
  "source",
  "track",
  "wbr",
]);

/** The first few pages that together contain every kind of element of all of them. */
export function covering(pages: readonly { path: string; html: string }[]): string[] {
  const left = pages.map(({ path, html }) => ({ path, kinds: kindsOf(html) }));
  const missing = new Set(left.flatMap(({ kinds }) => [...kinds]));
  const chosen: string[] = [];
  while (missing.size > 0) {
    const news = left.map(({ kinds }) => [...kinds].filter((kind) => missing.has(kind)).length);
    const best = left[news.indexOf(Math.max(...news))]!;
    for (const kind of best.kinds) missing.delete(kind);
    chosen.push(best.path);
  }
  return chosen;
}
