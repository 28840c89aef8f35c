import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { escapeHtml } from "./escape-html.ts";
import { lifecycleSvg } from "./lifecycle-svg.ts";
import { type NavSection, navSections, pathOf, type SitePage, sitePages } from "./pages.ts";
import { type Heading, type RenderedPage, renderPage } from "./render-page.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const dist = join(root, "web/dist");
/** What Vite made of web/site/page.html: the frame of every page, with the hashed names of its script and styles. */
const TEMPLATE = join(dist, "site/page.html");
/** Files of these folders are shown as text where a page links to them. */
const SHOWN_AS_TEXT = /^(docs\/verifiers|deploy)\//;

type Names = ReadonlyMap<string, string>;
type Built = SitePage & RenderedPage;

/** The documentation as static pages below web/dist/docs, one for each Markdown file of the table. */
function main(): void {
  const template = readFileSync(TEMPLATE, "utf8");
  clear();
  const pages = sitePages(root);
  const known = new Set(pages.map(({ source }) => source));
  const addressOf = (file: string): string | undefined => {
    if (known.has(file)) return pathOf(file);
    if (file === "docs/openapi.json") return "/openapi.json";
    const full = join(root, file);
    if (!existsSync(full)) throw new Error(`a link leads to ${file}, which does not exist`);
    if (statSync(full).isDirectory()) {
      const index = join(file, "README.md");
      return known.has(index) ? pathOf(index) : undefined;
    }
    if (file.startsWith("docs/images/")) return copied(file, file);
    if (SHOWN_AS_TEXT.test(file)) return copied(file, `docs/files/${file.replace(/^docs\//, "")}.txt`);
    return undefined;
  };
  const built = pages.map(
    (page): Built => ({
      ...page,
      ...renderPage(readFileSync(join(root, page.source), "utf8"), {
        source: page.source,
        addressOf,
        diagram: lifecycleSvg,
      }),
    }),
  );
  const sections = navSections(root);
  const titles = new Map(built.map(({ path, title }) => [path, shortTitle(title)]));
  for (const { path, nav } of sections.flatMap(({ pages: all }) => all))
    if (nav && titles.has(path)) titles.set(path, nav);
  const reading = sections.flatMap(({ pages: all }) => all).filter(({ path }) => titles.has(path));
  const index = hashed("docs-search", "json", JSON.stringify(built.map(searchEntry)));
  const theme = hashed("docs-theme", "js", THEME_SCRIPT);

  for (const page of built) {
    const at = reading.findIndex(({ path }) => path === page.path);
    const neighbour = (step: number) => (at === -1 ? undefined : reading[at + step]?.path);
    write(
      page.path,
      fill(template, {
        title: escapeHtml(page.path === "/docs" ? "Pestle documentation" : `${page.title} · Pestle`),
        description: escapeHtml(page.lead),
        theme,
        index,
        nav: navigation(sections, titles, page.path),
        contents: contents(page.headings),
        article: page.html,
        turning: turning(titles, neighbour(-1), neighbour(1)),
      }),
    );
  }
  write(
    "/docs/404",
    fill(template, {
      title: "Not found · Pestle",
      description: "There is no such page.",
      theme,
      index,
      nav: navigation(sections, titles, ""),
      contents: "",
      article:
        '<h1>There is no such page</h1><p>Look for it with the search above, or begin <a href="/docs">at the front</a>.</p>',
      turning: "",
    }),
  );
}

/** Takes away what an earlier run made; the reference below docs/api is not ours. */
function clear(): void {
  for (const name of readdirSync(join(dist, "docs"))) {
    if (name !== "api") rmSync(join(dist, "docs", name), { recursive: true });
  }
  for (const name of readdirSync(join(dist, "assets")).filter((one) => /^docs-(search|theme)-/.test(one))) {
    rmSync(join(dist, "assets", name));
  }
}

const searchEntry = ({ path, title, passages }: Built) => ({ path, title, passages });

/** Before anything is drawn: a scheme that was chosen here or in the portal. */
const THEME_SCRIPT = `const kept = localStorage.getItem("pestle-theme");
if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
`;

function copied(file: string, to: string): string {
  mkdirSync(dirname(join(dist, to)), { recursive: true });
  cpSync(join(root, file), join(dist, to));
  return `/${to}`;
}

function hashed(name: string, extension: string, content: string): string {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 8);
  const path = `assets/${name}-${hash}.${extension}`;
  writeFileSync(join(dist, path), content);
  return `/${path}`;
}

function write(path: string, html: string): void {
  const file = join(dist, path === "/docs" ? "docs/index.html" : `${path}.html`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, html);
}

/** Every `{{name}}` of the template; one that is missing is a mistake of ours. */
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
        const here = path === current || (path === "/docs/adr" && current.startsWith("/docs/adr/"));
        const mark = path === current ? ' aria-current="page"' : here ? ' class="within"' : "";
        return `<li><a href="${path}"${mark}>${escapeHtml(nav ?? titles.get(path) ?? basename(path))}</a></li>`;
      });
      return `<h2>${title}</h2><ul>${items.join("")}</ul>`;
    })
    .join("\n");
}

/** In the side bar a title ends where it begins to explain itself. */
const shortTitle = (title: string): string => title.split(": ")[0]!;

/** Second and third level; where there are very many, the second alone. */
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
  return before === undefined && after === undefined
    ? ""
    : `<nav class="turning" aria-label="Previous and next">${link(before, "prev", "Previous")}${link(after, "next", "Next")}</nav>`;
}

main();
