import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PageKind } from "@pestle/contract";

/** A page of the site: a Markdown file in the repository. */
export type SitePage = { source: string; path: string; kind: PageKind };
/** Shown under its own heading, or under the shorter `nav` name. */
type Entry = string | { source: string; nav: string };
export type NavSection = { title: string; pages: { path: string; nav: string | null }[] };

/** The sidebar in reading order, and how the search ranks a section's pages. Files that do not exist are skipped. */
const sections: { title: string; kind: PageKind; entries: Entry[] }[] = [
  {
    title: "Start",
    kind: "guide",
    entries: [
      { source: "docs/index.md", nav: "Overview" },
      { source: "docs/guides/quick-start.md", nav: "Quick start" },
      { source: "docs/guides/first-prescription.md", nav: "A first prescription" },
    ],
  },
  {
    title: "Concepts",
    kind: "guide",
    entries: ["docs/concepts.md", "docs/glossary.md", "docs/lifecycle.md", "docs/exceptions.md", "docs/intake.md"],
  },
  {
    title: "Guides",
    kind: "guide",
    entries: [
      "docs/guides/authentication.md",
      "docs/guides/order-lifecycle.md",
      "docs/guides/answer-the-pharmacy.md",
      "docs/partners/renewals.md",
      "docs/guides/patient-messages.md",
      "docs/guides/webhooks.md",
      "docs/guides/verify-webhooks.md",
      "docs/certify.md",
      "docs/partners/certify-orders.md",
      "docs/guides/errors-in-practice.md",
      "docs/guides/idempotency.md",
      "docs/guides/pagination.md",
      "docs/guides/rate-limits.md",
      { source: "sdk/README.md", nav: "The SDK for Node" },
      { source: "docs/languages/python.md", nav: "The SDK for Python" },
      "docs/languages/other-languages.md",
      "docs/guides/refill-schedules.md",
      "docs/guides/month-end.md",
      "docs/guides/portal.md",
      "docs/guides/sandbox.md",
      "docs/guides/catalogue.md",
      "docs/partners/assistants.md",
      "docs/partners/migration.md",
      "docs/partners/faq.md",
    ],
  },
  {
    title: "Go live",
    kind: "guide",
    entries: [
      "docs/partners/testing.md",
      "docs/partners/webhooks-in-production.md",
      "docs/partners/versioning.md",
      "docs/partners/support.md",
      "docs/partners/go-live-checklist.md",
    ],
  },
  {
    title: "Reference",
    kind: "reference",
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
    kind: "reference",
    entries: [
      "docs/guides/dashboard.md",
      "docs/guides/inspection.md",
      "docs/guides/safety.md",
      "docs/guides/go-live.md",
      "docs/guides/deployment.md",
      { source: "docs/guides/operations.md", nav: "Operations" },
      { source: "docs/operators/scale-out.md", nav: "Scale out" },
      "docs/guides/security.md",
      "docs/guides/audit.md",
      "docs/asvs.md",
      "docs/controlled-substances.md",
      "docs/runbook.md",
      "docs/operators/metrics.md",
      "docs/performance.md",
      "docs/reliability.md",
      "docs/invariants.md",
      "SECURITY.md",
    ],
  },
  {
    title: "About",
    kind: "about",
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

/** The Markdown of a page is beside it. */
export const markdownPathOf = (path: string): string => (path === "/docs" ? "/docs/index.md" : `${path}.md`);

/** Every page to build, in reading order: the sidebar, then the decisions. */
export function sitePages(root: string): SitePage[] {
  const listed = sections.flatMap(({ kind, entries }) => entries.map((entry) => ({ source: sourceOf(entry), kind })));
  const decisions = readdirSync(join(root, "docs/adr"))
    .filter((name) => /^\d{4}-.*\.md$/.test(name))
    .sort()
    .map((name) => ({ source: `docs/adr/${name}`, kind: "decision" as const }));
  return [...listed.filter(({ source }) => source.endsWith(".md")), ...decisions]
    .filter(({ source }) => existsSync(join(root, source)))
    .map((page) => ({ ...page, path: pathOf(page.source) }));
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
