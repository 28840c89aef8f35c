import { markdownPathOf, type NavSection } from "./pages.ts";

type Page = { path: string; title: string; lead: string; kind: string; markdown: string };

const ABOUT = `# Pestle

> A mail-order pharmacy runs Pestle so that telehealth partners can send it prescriptions and orders. Partners call a JSON API over HTTPS and receive signed webhooks.

- Get an access token from the token server of your environment (client credentials) and send it as \`Authorization: Bearer\`. The sandbox and production have different token servers and credentials.
- Write and test code in the sandbox only. \`POST /simulate\` plays prescribers, pharmacy, carriers and the clock.
- Give every \`POST\` an \`Idempotency-Key\`. Errors have a \`code\`, the \`field\`, and a \`doc_url\`.
- Patients are created by prescriptions, never by partners.
`;

/** Descriptions for programs, at the root of the service. */
const FILES: readonly (readonly [path: string, title: string, about: string])[] = [
  ["/openapi.json", "OpenAPI 3.1", "every operation, field, error and webhook, with examples"],
  ["/openapi-3.0.json", "OpenAPI 3.0", "the same for tools that do not read 3.1"],
  ["/arazzo.json", "Arazzo", "the workflows, step by step"],
  ["/postman.json", "Postman collection", "also for Bruno, Insomnia and Hoppscotch"],
  ["/docs/llms-full.txt", "All pages in one file", "guides and reference, without the decisions"],
];

/** The list of pages for assistants, in the format of llmstxt.org. */
export function llmsText(sections: readonly NavSection[], pages: readonly Page[]): string {
  const lines = sections.flatMap(({ title, pages: entries }) => {
    const listed = entries.flatMap(({ path }) => pages.filter((page) => page.path === path));
    const links = listed.map((page) => {
      const about = summaryOf(page.lead);
      return `- [${page.title}](${markdownPathOf(page.path)})${about === "" ? "" : `: ${about}`}`;
    });
    return [`## ${title === "About" ? "Optional" : title}`, "", ...links, ""];
  });
  const files = FILES.map(([path, title, about]) => `- [${title}](${path}): ${about}`);
  return [ABOUT, "## For programs", "", ...files, "", ...lines].join("\n");
}

/** Every page but the decisions, one after the other. */
export const llmsFull = (pages: readonly Page[]): string =>
  pages
    .filter(({ kind }) => kind !== "decision" && kind !== "about")
    .map(({ path, markdown }) => `<!-- ${markdownPathOf(path)} -->\n\n${markdown.trimEnd()}\n`)
    .join("\n");

/** The first sentence: what the reader will achieve. */
function summaryOf(lead: string): string {
  const [first = lead] = lead.match(/[^.:!?]+.*?[.:!?](?= |$)/) ?? [];
  return first.trim().replace(/:$/, ".");
}
