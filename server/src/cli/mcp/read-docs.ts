import { reason, ServiceRefusal } from "@pestle/cli/errors";
import { findPassages, type Hit, type SearchPage } from "@pestle/contract";

const LIMIT_MS = 15_000;
/** An assistant reads a longer page by its sections. */
const LONGEST_TEXT = 60_000;
const PATH = /^\/docs(\/[\w-]+)*(\.md)?$/;

/** The documentation of a running service, which describes the version that runs there. */
export function docsOf(base_url: string) {
  let index: Promise<SearchPage[]> | undefined;
  const load = async (): Promise<SearchPage[]> => {
    const front = await textAt(base_url, "/docs");
    const address = /<meta name="search-index" content="([^"]+)"/.exec(front)?.[1];
    if (address === undefined)
      throw new ServiceRefusal("not_found", `The service at ${base_url} has no documentation.`);
    return JSON.parse(await textAt(base_url, address));
  };
  return {
    async search(query: string): Promise<Hit[]> {
      index ??= load().catch((error: unknown) => {
        index = undefined;
        throw error;
      });
      return findPassages(await index, query);
    },
    /** A page as Markdown, or one section of it by the id of its heading. */
    async read(address: string): Promise<string> {
      const [path = "", section] = address.replace(/^https?:\/\/[^/]+/, "").split("#");
      const page = path.replace(/\/$/, "");
      if (!PATH.test(page)) throw new ServiceRefusal("not_found", "A page's path begins with /docs: see search_docs.");
      const name = page === "/docs" ? "/docs/index.md" : `${page.replace(/\.md$/, "")}.md`;
      const text = await textAt(base_url, name);
      const shown = section === undefined || section === "" ? text : sectionOf(text, section);
      if (shown === undefined) throw new ServiceRefusal("not_found", `${name} has no section ${section}.`);
      const rest =
        shown.length > LONGEST_TEXT ? "\n\n(The page is longer. Read a section: add # and its heading.)" : "";
      return shown.slice(0, LONGEST_TEXT) + rest;
    },
  };
}

/** From the heading to the next one of its level. The id is a slug as on the site, or the code that the heading begins with. */
function sectionOf(markdown: string, id: string): string | undefined {
  const lines = markdown.split("\n");
  const start = lines.findIndex((line) => {
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1];
    return heading !== undefined && (slug(heading) === id || heading.startsWith(`${id} `));
  });
  if (start === -1) return undefined;
  const depth = /^#+/.exec(lines[start]!)![0].length;
  let fenced = false;
  const end = lines.findIndex((line, at) => {
    if (line.startsWith("```")) fenced = !fenced;
    return at > start && !fenced && (/^(#+) /.exec(line)?.[1]?.length ?? 9) <= depth;
  });
  return lines
    .slice(start, end === -1 ? undefined : end)
    .join("\n")
    .trim();
}

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");

async function textAt(base_url: string, path: string): Promise<string> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  const response = await fetch(base_url + path, { signal, redirect: "error" }).catch((error) => {
    const why = reason(error.cause ?? error);
    throw new ServiceRefusal("unreachable", `No service answers at ${base_url} (${why}). Is it running?`);
  });
  if (response.ok) return response.text();
  throw new ServiceRefusal("not_found", `The service at ${base_url} has no ${path}. Find pages with search_docs.`);
}
