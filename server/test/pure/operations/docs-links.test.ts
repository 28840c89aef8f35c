import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { bearerErrors, errorCodes, errorDocUrl, oauthErrors, statusMessages } from "@pestle/contract";
import { lexer, type Tokens, walkTokens } from "marked";
import { describe, expect, test } from "vitest";
import { pathOf, sitePages } from "../../../../scripts/site/pages.ts";
import { COMMENTS, plain, slugs } from "../../../../scripts/site/render-page.ts";
import { renderSite } from "../../../../scripts/site/render-site.ts";
import { docPages, ROOT, readDoc } from "../../support/tools/doc-blocks.ts";

/** Addresses of the service that are not files of the site. */
const SERVED = ["/", "/portal", "/dashboard", "/openapi.json", "/arazzo.json", "/docs/api"];

const headingsOf = (page: string): Set<string> => {
  const slugOf = slugs();
  const ids = new Set<string>();
  walkTokens(lexer(readDoc(page)), (token) => {
    if (token.type === "heading") ids.add(slugOf(plain((token as Tokens.Heading).text)));
  });
  return ids;
};

const linksOf = (page: string): string[] => {
  const links: string[] = [];
  walkTokens(lexer(readDoc(page)), (token) => {
    if (token.type === "link" || token.type === "image") links.push((token as Tokens.Link).href);
  });
  return links;
};

describe("in the repository", () => {
  test.each(docPages)("every link of %s resolves", (page) => {
    const broken = linksOf(page)
      .filter((href) => !/^(https?:|mailto:|\/)/.test(href))
      .filter((href) => {
        const [path = "", hash] = href.split("#");
        const target = path === "" ? page : posix.normalize(posix.join(dirname(page), path));
        if (!existsSync(join(ROOT, target))) return true;
        return hash !== undefined && target.endsWith(".md") && !headingsOf(target).has(hash);
      });
    expect(broken).toEqual([]);
  });
});

test("no page contains raw HTML, which the site would not show", () => {
  for (const page of docPages) {
    walkTokens(lexer(readDoc(page)), (token) => {
      if (token.type === "html") expect(COMMENTS.test(token.raw), `${page}: ${token.raw}`).toBe(true);
    });
  }
});

describe("on the site", () => {
  const template =
    "<title>{{title}}</title><meta content='{{description}}'><script src='{{theme}}'></script>{{index}}<nav>{{nav}}</nav>{{article}}{{turning}}{{contents}}";
  const files = renderSite(ROOT, template);
  const pages = [...files].flatMap(([name, content]) =>
    name.endsWith(".html") ? [[name, String(content)] as const] : [],
  );
  const idsOf = (html: string) => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!));
  const idsByPage = new Map(pages.map(([name, html]) => [name, idsOf(html)]));

  test("every error has the section that its doc_url names", () => {
    const ids = idsByPage.get("docs/errors.html");
    const names = [...errorCodes, ...Object.keys({ ...statusMessages, ...oauthErrors, ...bearerErrors })];
    expect(names.filter((name) => !ids?.has(String(name)))).toEqual([]);
    expect(errorDocUrl("", 42200)).toBe(`${pathOf("docs/errors.md")}#42200`);
  });
  const fileOf = (path: string) =>
    [`${path.slice(1)}.html`, `${path.slice(1)}/index.html`, path.slice(1)].find((name) => files.has(name));

  test("every page of docs/ exists, and is in the sidebar or among the decisions", () => {
    const built = new Set(sitePages(ROOT).map(({ source }) => source));
    expect(docPages.filter((page) => page.startsWith("docs/") && !built.has(page))).toEqual([]);
  });

  test.each(pages)("the site serves every link and picture of %s", (name, html) => {
    const broken = [...html.matchAll(/ (?:href|src)="([^"]*)"/g)]
      .map(([, address]) => address!.replaceAll("&amp;", "&"))
      .filter((address) => !/^(https?:|mailto:)/.test(address))
      .filter((address) => {
        const [path = "", hash] = address.split("#");
        if (SERVED.includes(path)) return false;
        const file = path === "" ? name : fileOf(path);
        if (file === undefined) return true;
        return hash !== undefined && !idsByPage.get(file)?.has(hash);
      });
    expect(broken).toEqual([]);
  });

  test("no id repeats on a page, and nothing inline violates the policy", () => {
    for (const [name, html] of pages) {
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
      expect(
        ids.filter((id, index) => ids.indexOf(id) !== index),
        name,
      ).toEqual([]);
      expect(html, name).not.toMatch(/ style=|<style|<script>| on[a-z]+=/);
    }
  });

  test("the search finds every page by its title", () => {
    const index = [...files].find(([name]) => name.startsWith("assets/docs-search-"))!;
    const titles = (JSON.parse(String(index[1])) as { title: string; path: string }[]).map(({ path }) => path);
    expect(titles.sort()).toEqual(
      sitePages(ROOT)
        .map(({ path }) => path)
        .sort(),
    );
  });
});
