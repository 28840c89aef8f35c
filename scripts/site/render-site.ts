import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SearchPage } from "@pestle/contract";
import { escapeHtml } from "./escape-html.ts";
import { lifecycleSvg } from "./lifecycle-svg.ts";
import { llmsFull, llmsText } from "./llms.ts";
import { operationsPage } from "./operations-page.ts";
import { markdownPathOf, type NavSection, navSections, pathOf, type SitePage, sitePages } from "./pages.ts";
import { type Heading, type RenderedPage, renderPage, servedMarkdown } from "./render-page.ts";

type Names = ReadonlyMap<string, string>;
type Built = SitePage & RenderedPage & { markdown: string };
type Files = Map<string, string | Buffer>;

/** When a page links to a file in these folders, the site serves it as plain text. */
const SHOWN_AS_TEXT = /^(clients|deploy|docs\/verifiers|examples)\//;
/** Runs before the first paint: applies the color scheme chosen here or in the portal. */
const THEME_SCRIPT = `const kept = localStorage.getItem("pestle-theme");
if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
`;
const NOT_FOUND =
  '<h1>There is no such page</h1><p>Look for it with the search above, or begin <a href="/docs">at the front</a>.</p>';

/** The documentation as files for web/dist: one page per Markdown file, the files they show, and the search index. */
export function renderSite(root: string, template: string): Files {
  const files: Files = new Map();
  const built = renderPages(root, files);
  const sections = navSections(root);
  const listed = sections.flatMap(({ pages }) => pages);
  const titles = new Map(built.map(({ path, title }) => [path, shortTitle(title)]));
  for (const { path, nav } of listed) if (nav !== null && titles.has(path)) titles.set(path, nav);
  const reading = listed.map(({ path }) => path).filter((path) => titles.has(path));

  const found: SearchPage[] = [
    ...built.map(({ path, title, kind, passages }) => ({ path, title, kind, passages })),
    operationsPage,
  ];
  const index = addHashed(files, "docs-search", "json", JSON.stringify(found));
  files.set("docs/llms.txt", llmsText(sections, built));
  files.set("docs/llms-full.txt", llmsFull(built));
  for (const { path, markdown } of built) files.set(markdownPathOf(path).slice(1), markdown);
  const theme = addHashed(files, "docs-theme", "js", THEME_SCRIPT);
  const add = (path: string, page: Pick<Built, "title" | "lead" | "html" | "headings">) => {
    const at = reading.indexOf(path);
    const values = {
      title: escapeHtml(path === "/docs" ? "Pestle documentation" : `${page.title} · Pestle`),
      description: escapeHtml(page.lead),
      theme,
      index,
      markdown: markdownPathOf(titles.has(path) ? path : "/docs"),
      nav: navigation(sections, titles, path),
      contents: contents(page.headings),
      article: page.html,
      turning: at === -1 ? "" : turning(titles, reading[at - 1], reading[at + 1]),
    };
    files.set(path === "/docs" ? "docs/index.html" : `${path.slice(1)}.html`, fill(template, values));
  };
  for (const page of built) add(page.path, page);
  add("/docs/404", { title: "Not found", lead: "There is no such page.", html: NOT_FOUND, headings: [] });
  return files;
}

/** Renders every page and adds linked files that are not pages to `files`. */
function renderPages(root: string, files: Files): Built[] {
  const pages = sitePages(root);
  const known = new Set(pages.map(({ source }) => source));
  const copied = (file: string, to: string) => {
    files.set(to, readFileSync(join(root, file)));
    return `/${to}`;
  };
  const addressOf = (file: string): string | undefined => {
    if (known.has(file)) return pathOf(file);
    if (file === "docs/openapi.json") return "/openapi.json";
    const full = join(root, file);
    // A test reports broken links; an installation should not fail because of one.
    if (!existsSync(full)) return undefined;
    if (statSync(full).isDirectory()) {
      const index = join(file, "README.md");
      return known.has(index) ? pathOf(index) : undefined;
    }
    if (file.startsWith("docs/images/")) return copied(file, file);
    if (SHOWN_AS_TEXT.test(file)) return copied(file, `docs/files/${file.replace(/^docs\//, "")}.txt`);
    return undefined;
  };
  return pages.map((page) => {
    const { source } = page;
    const markdown = readFileSync(join(root, source), "utf8");
    const asMarkdown = (file: string) => (known.has(file) ? markdownPathOf(pathOf(file)) : addressOf(file));
    return {
      ...page,
      ...renderPage(markdown, { source, addressOf, diagram: lifecycleSvg }),
      markdown: servedMarkdown(markdown, source, asMarkdown),
    };
  });
}

function addHashed(files: Files, name: string, extension: string, content: string): string {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 8);
  const path = `assets/${name}-${hash}.${extension}`;
  files.set(path, content);
  return `/${path}`;
}

/** Fills every `{{name}}` in the template and throws if a value is missing. */
const fill = (template: string, values: Record<string, string>): string =>
  template.replace(/(?:<!-- )?\{\{(\w+)\}\}(?: -->)?/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the template asks for ${name}`);
    return value;
  });

function navigation(sections: NavSection[], titles: Names, current: string): string {
  return sections
    .map(({ title, pages }) => {
      const items = pages.map(({ path, nav }) => {
        const within = path === "/docs/adr" && current.startsWith("/docs/adr/");
        const mark = path === current ? ' aria-current="page"' : within ? ' class="within"' : "";
        return `<li><a href="${path}"${mark}>${escapeHtml(nav ?? titles.get(path)!)}</a></li>`;
      });
      return `<h2>${title}</h2><ul>${items.join("")}</ul>`;
    })
    .join("\n");
}

/** The sidebar shows a title up to its colon. */
const shortTitle = (title: string): string => title.split(": ")[0]!;

/** Second- and third-level headings, or only the second level on long pages. */
function contents(headings: readonly Heading[]): string {
  const below = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const shown = below.length > 40 ? below.filter(({ depth }) => depth === 2) : below;
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<aside class="contents" aria-labelledby="on-this-page"><h2 id="on-this-page">On this page</h2><ul>${items.join("")}</ul></aside>`;
}

function turning(titles: Names, before?: string, after?: string): string {
  const link = (path: string | undefined, rel: string, word: string) =>
    path === undefined
      ? "<span></span>"
      : `<a rel="${rel}" href="${path}"><small>${word}</small>${escapeHtml(titles.get(path)!)}</a>`;
  return `<nav class="turning" aria-label="Previous and next">${link(before, "prev", "Previous")}${link(after, "next", "Next")}</nav>`;
}
