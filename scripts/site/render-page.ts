import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import { colouredCode } from "./coloured-code.ts";
import { escapeHtml } from "./escape-html.ts";

export type Heading = { depth: number; id: string; text: string };
/** The text below one heading, for the search index. */
type Passage = { id: string; heading: string; text: string };
export type RenderedPage = { title: string; html: string; headings: Heading[]; passages: Passage[]; lead: string };

type Context = {
  /** Path of the Markdown file from the repository root. */
  source: string;
  /** The site URL of a repository file, or undefined if the site does not have it. */
  addressOf(file: string): string | undefined;
  /** HTML that replaces a diagram on this page. */
  diagram(): string;
};

/**
 * Renders a Markdown page under the site's strict policy: no inline styles or scripts, nothing from another host, and
 * no raw HTML from the page. Comments are dropped.
 */
export function renderPage(markdown: string, { source, addressOf, diagram }: Context): RenderedPage {
  const headings: Heading[] = [];
  const slugOf = slugs();
  const tables = new Map<string, number>();
  // Each table is a landmark, so each needs its own name.
  const captionOf = (heading: string): string => {
    const times = (tables.get(heading) ?? 0) + 1;
    tables.set(heading, times);
    return times === 1 ? heading : `${heading}, table ${times}`;
  };
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const words = plain(text);
        const id = slugOf(words);
        headings.push({ depth, id, text: words });
        const inner = this.parser.parseInline(tokens);
        if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`;
        // A heading that begins with a code also gets the bare code as an anchor.
        const number = /^\d{2,5}(?= )/.exec(words)?.[0];
        const alias = number === undefined ? "" : `<span id="${number}"></span>`;
        return `<h${depth} id="${id}">${alias}${inner}<a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(words)}">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const address = siteAddress(source, href, addressOf);
        if (address === undefined) return inner;
        return `<a href="${escapeHtml(address)}"${/^https?:/.test(address) ? ' rel="noreferrer"' : ""}>${inner}</a>`;
      },
      image({ href, text }) {
        const address = siteAddress(source, href, addressOf);
        if (address === undefined) return escapeHtml(text);
        return `<a class="picture" href="${escapeHtml(address)}"><img src="${escapeHtml(address)}" alt="${escapeHtml(text)}" loading="lazy" /></a>`;
      },
      code({ text, lang }) {
        const language = /^[\w+-]*/.exec(lang ?? "")![0];
        if (language === "mermaid") return diagram();
        const name =
          language === "" || language === "text" ? "" : `<span class="language">${escapeHtml(language)}</span>`;
        return `<div class="code">${name}<pre tabindex="0"><code>${colouredCode(text, language)}</code></pre></div>\n`;
      },
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: string) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens) || empty(tag)}</${tag}>`).join("");
        const rows = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        const caption = escapeHtml(captionOf(headings.at(-1)?.text ?? "Table"));
        return `<div class="table" tabindex="0" role="region" aria-label="${caption}"><table><thead><tr>${cells(token.header, "th")}</tr></thead><tbody>\n${rows}\n</tbody></table></div>\n`;
      },
      html({ text }) {
        // Show raw HTML as text: a test reports it, and an installation should not fail because of it.
        return COMMENTS.test(text) ? "" : escapeHtml(text);
      },
    },
  });
  const html = marked.parse(markdown, { async: false });
  const passages = passagesOf(marked.lexer(markdown), headings);
  return {
    title: headings.find(({ depth }) => depth === 1)?.text ?? source,
    html,
    headings,
    passages,
    lead: passages[0]?.text.slice(0, 200) ?? "",
  };
}

/** The page's Markdown for readers of the site: links lead to pages of the site, and comments for authors are absent. */
export function servedMarkdown(markdown: string, source: string, addressOf: Context["addressOf"]): string {
  return markdown
    .replace(/^(<!--.*?-->\s*)+/s, "")
    .split(/^(```.*?^```$)/ms)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/\]\(([^)\s]+)\)/g, (whole, href: string) => {
            const address = siteAddress(source, href, addressOf);
            return address === undefined ? whole : `](${address})`;
          }),
    )
    .join("");
}

export const COMMENTS = /^\s*(<!--.*?-->\s*)*$/s;

/** The site URL for a Markdown link, or undefined if the site does not have its target. */
function siteAddress(source: string, href: string, addressOf: Context["addressOf"]): string | undefined {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return href;
  const [path = "", hash] = href.split("#");
  const address = addressOf(posix.normalize(posix.join(posix.dirname(source), path)));
  return address === undefined || hash === undefined ? address : `${address}#${hash}`;
}

/** Heading ids in GitHub's format, so that links work in both places. */
export function slugs(): (text: string) => string {
  const seen = new Map<string, number>();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
}

/** The plain text of a piece of Markdown. */
export const plain = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|`)/g, "")
    .replace(/\\([|_*])/g, "$1");

function passagesOf(tokens: Tokens.Generic[], headings: readonly Heading[]): Passage[] {
  const passages: Passage[] = [];
  let next = 0;
  for (const token of tokens) {
    if (token.type === "heading") {
      const { id, text } = headings[next++]!;
      passages.push({ id, heading: text, text: "" });
    } else if (
      token.type !== "html" &&
      token.type !== "space" &&
      !(token.type === "code" && token["lang"] === "mermaid")
    ) {
      const passage = passages.at(-1);
      if (passage === undefined) continue;
      const words =
        token.type === "code" ? String(token["text"]) : plain(token.raw).replace(/^[|>#-]+|[|]|---+/gm, " ");
      passage.text = `${passage.text} ${words.replace(/\s+/g, " ").trim()}`.trim();
    }
  }
  return passages;
}

/** An empty table head would have no accessible name. */
const empty = (tag: string): string => (tag === "th" ? '<span class="unseen">note</span>' : "");
