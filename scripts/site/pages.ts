import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A page of the site: a Markdown file in the repository, or a URL that another step builds. */
export type SitePage = { source: string; path: string };
/** Shown under its own heading, or under the shorter `nav` name. */
type Entry = string | { source: string; nav: string };
export type NavSection = { title: string; pages: { path: string; nav: string | null }[] };

/** The sidebar in reading order. Files that do not exist are skipped. */
const sections: { title: string; entries: Entry[] }[] = [
  {
    title: "Start",
    entries: [
      { source: "docs/index.md", nav: "Overview" },
      { source: "docs/guides/quick-start.md", nav: "Quick start" },
      { source: "docs/guides/first-prescription.md", nav: "A first prescription" },
    ],
  },
  {
    title: "Concepts",
    entries: ["docs/concepts.md", "docs/glossary.md", "docs/lifecycle.md", "docs/exceptions.md", "docs/intake.md"],
  },
  {
    title: "Guides",
    entries: [
      "docs/guides/authentication.md",
      "docs/guides/order-lifecycle.md",
      "docs/guides/answer-the-pharmacy.md",
      "docs/guides/renewals.md",
      "docs/guides/patient-messages.md",
      "docs/guides/webhooks.md",
      "docs/guides/verify-webhooks.md",
      "docs/guides/errors-in-practice.md",
      "docs/guides/idempotency.md",
      "docs/guides/pagination.md",
      "docs/guides/rate-limits.md",
      { source: "sdk/README.md", nav: "The SDK for Node" },
      "docs/guides/refill-schedules.md",
      "docs/guides/month-end.md",
      "docs/guides/portal.md",
      "docs/guides/sandbox.md",
      "docs/guides/catalogue.md",
      "docs/faq.md",
    ],
  },
  {
    title: "Reference",
    entries: [
      { source: "/docs/api", nav: "API reference" },
      { source: "/docs/api#webhooks", nav: "Webhooks in the API" },
      "docs/errors.md",
      "docs/events.md",
      "docs/quotas.md",
      "docs/cli.md",
      "docs/config.md",
      "docs/catalogue-columns.md",
    ],
  },
  {
    title: "Operate",
    entries: [
      "docs/guides/dashboard.md",
      "docs/guides/inspection.md",
      "docs/guides/safety.md",
      "docs/guides/go-live.md",
      "docs/guides/deployment.md",
      "docs/guides/security.md",
      "docs/guides/audit.md",
      "docs/asvs.md",
      "docs/controlled-substances.md",
      "docs/runbook.md",
      "docs/performance.md",
      "docs/invariants.md",
      "SECURITY.md",
    ],
  },
  {
    title: "About",
    entries: ["CHANGELOG.md", "KNOWN-LIMITATIONS.md", "ARCHITECTURE.md", "docs/style.md", "docs/adr/README.md"],
  },
];

/** The URL of a file: `docs/guides/webhooks.md` is at `/docs/guides/webhooks`, `CHANGELOG.md` at `/docs/changelog`. */
export function pathOf(source: string): string {
  if (source.startsWith("/")) return source;
  const name = source
    .replace(/^docs\//, "")
    .replace(/\.md$/, "")
    .replace(/(^|\/)(index|README)$/, "");
  return name === "" ? "/docs" : `/docs/${name.toLowerCase().replace(/\/$/, "")}`;
}

/** Every page to build, in reading order: the sidebar, then the decisions. */
export function sitePages(root: string): SitePage[] {
  const listed = sections.flatMap(({ entries }) => entries.map(sourceOf)).filter((source) => source.endsWith(".md"));
  const decisions = readdirSync(join(root, "docs/adr"))
    .filter((name) => /^\d{4}-.*\.md$/.test(name))
    .sort()
    .map((name) => `docs/adr/${name}`);
  return [...listed, ...decisions]
    .filter((source) => existsSync(join(root, source)))
    .map((source) => ({ source, path: pathOf(source) }));
}

export function navSections(root: string): NavSection[] {
  return sections.map(({ title, entries }) => ({
    title,
    pages: entries
      .filter((entry) => sourceOf(entry).startsWith("/") || existsSync(join(root, sourceOf(entry))))
      .map((entry) => ({ path: pathOf(sourceOf(entry)), nav: typeof entry === "string" ? null : entry.nav })),
  }));
}

const sourceOf = (entry: Entry): string => (typeof entry === "string" ? entry : entry.source);
