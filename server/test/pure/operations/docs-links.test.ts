import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import {
  bearerErrors,
  endpoints,
  errorCodes,
  errorDocUrl,
  findPassages,
  oauthErrors,
  type SearchPage,
  statusMessages,
} from "@pestle/contract";
import { lexer, type Tokens, walkTokens } from "marked";
import { describe, expect, test } from "vitest";
import { markdownPathOf, pathOf, sitePages } from "../../../../scripts/site/pages.ts";
import { COMMENTS, plain, slugs } from "../../../../scripts/site/render-page.ts";
import { renderSite } from "../../../../scripts/site/render-site.ts";
import { docPages, ROOT, readDoc } from "../../support/tools/doc-blocks.ts";

/** Addresses of the service that are not files of the site. */
const SERVED = [
  "/",
  "/portal",
  "/dashboard",
  "/openapi.json",
  "/openapi-3.0.json",
  "/arazzo.json",
  "/postman.json",
  "/llms.txt",
  "/docs/api",
];

/** What people type, and what they look for. */
const SEARCHES = [
  ["webhooks", "/docs/guides/webhooks"],
  ["webhoks", "/docs/guides/webhooks"],
  ["verify signature", "/docs/guides/verify-webhooks"],
  ["authentification", "/docs/guides/authentication"],
  ["how do I get a token", "/docs/guides/authentication#1-get-a-token"],
  ["rate limit", "/docs/guides/rate-limits"],
  ["pagnation", "/docs/guides/pagination"],
  ["idempotency", "/docs/guides/idempotency"],
  ["idempotecny", "/docs/guides/idempotency"],
  ["deprecation", "/docs/partners/versioning"],
  ["magic values", "/docs/guides/sandbox#magic-values"],
  ["declined card", "/docs/guides/order-lifecycle#a-declined-card"],
  ["migration from another pharmacy", "/docs/partners/migration"],
  ["go live checklist", "/docs/partners/go-live-checklist"],
  ["42227", "/docs/errors#42227-invalid-address-zip"],
  ["allergy detected", "/docs/exceptions#74-allergy-detected"],
  ["missing address unit", "/docs/exceptions#78-missing-address-unit-number"],
  ["createOrder", "/docs/api#operations-Orders-createOrder"],
  ["POST /refill_schedules", "/docs/api#operations-Refill_schedules-createRefillSchedule"],
  ["refil schedule", "/docs/guides/refill-schedules"],
  ["quick start", "/docs/guides/quick-start"],
  ["glosary", "/docs/glossary"],
  ["mcp", "/docs/partners/assistants#connect-it-with-mcp"],
  ["certify my order integration", "/docs/partners/certify-orders"],
] as const;

test("every guide and reference says first what its reader will achieve", () => {
  const pages = sitePages(ROOT).filter(({ kind }) => kind === "guide" || kind === "reference");
  expect(pages.length).toBeGreaterThan(45);
  const others = pages.filter(({ source }) => !/^(<!--.*-->\n+)?# .+\n\nYou will /.test(readDoc(source)));
  expect(others.map(({ source }) => source)).toEqual([]);
});

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

  const [, indexText] = [...files].find(([name]) => name.startsWith("assets/docs-search-"))!;
  const index = JSON.parse(String(indexText)) as SearchPage[];

  test("the search index has every page and every operation", () => {
    const [operations, ...others] = index.toReversed();
    expect(others.map(({ path }) => path).sort()).toEqual(
      sitePages(ROOT)
        .map(({ path }) => path)
        .sort(),
    );
    expect(operations!.passages.slice(1).map(({ heading }) => /\((\w+)\)/.exec(heading)![1])).toEqual(
      endpoints.map(({ operation_id }) => operation_id),
    );
  });

  test.each(SEARCHES)("a search for %s finds %s first", (query, first) => {
    expect(findPassages(index, query).map(({ href }) => href)[0]).toBe(first);
  });

  test("guides come before decisions", () => {
    for (const query of ["webhooks", "idempotency", "sandbox", "rate limits", "quotas"]) {
      const kinds = findPassages(index, query).map(({ href }) => href.startsWith("/docs/adr/"));
      expect(kinds[0], query).toBe(false);
    }
  });

  test("every page has its Markdown, whose links lead to pages of the site", () => {
    for (const { path } of sitePages(ROOT)) {
      const markdown = String(files.get(markdownPathOf(path).slice(1)));
      expect(markdown, path).toMatch(/^# /);
      const links: string[] = [];
      walkTokens(lexer(markdown), (token) => {
        if (token.type === "link") links.push((token as Tokens.Link).href.split("#")[0]!);
      });
      const broken = links.filter(
        (href) =>
          href.startsWith("/") && !SERVED.includes(href) && !files.has(href.slice(1)) && fileOf(href) === undefined,
      );
      expect(broken, path).toEqual([]);
    }
  });

  test("llms.txt lists every page of the sidebar by its Markdown", () => {
    const listed = [...String(files.get("docs/llms.txt")).matchAll(/\]\((\/[^)]*)\)/g)].map(([, href]) => href!);
    expect(listed.filter((href) => !SERVED.includes(href) && !files.has(href.slice(1)))).toEqual([]);
    const sidebar = sitePages(ROOT).filter(({ kind }) => kind !== "decision");
    expect(sidebar.filter(({ path }) => !listed.includes(markdownPathOf(path)))).toEqual([]);
  });
});
