import { findPassages, type SearchPage, typosBetween } from "@pestle/contract";
import { expect, test } from "vitest";

const page = (path: string, title: string, ...passages: [string, string][]): SearchPage => ({
  path,
  title,
  kind: path.includes("/adr/") ? "decision" : "guide",
  passages: [[title, "What this is about."] as const, ...passages].map(([heading, text], index) => ({
    id: `p${index}`,
    heading,
    text,
  })),
});
const pages = [
  page("/docs/errors", "Errors", ["42227 Invalid Address Zip", "The zip lies in another state."]),
  page("/docs/guides/webhooks", "Webhooks", ["Verify", "A zip of webhooks."], ["Limits", "50 endpoints."]),
  page("/docs/adr/0001", "Webhooks were decided", ["Zip", "An address."]),
];
const found = (query: string) => findPassages(pages, query).map(({ href }) => href);

test("matches all query words as prefixes, ignoring case", () => {
  expect(found("addr ZIP")).toEqual(["/docs/errors#p1", "/docs/adr/0001#p1"]);
  expect(found("ress")).toEqual([]);
  expect(found("42227")).toEqual(["/docs/errors#p1"]);
});

test("lists a title match once, before passages, with ADRs last", () => {
  expect(found("webhooks")).toEqual(["/docs/guides/webhooks", "/docs/adr/0001"]);
});

test("treats input as text, not as a pattern, and finds nothing for empty input", () => {
  for (const query of ["", "  ", "(", "[", "*", "\\"]) expect(found(query)).toEqual([]);
});

test("shows the match in the excerpt", () => {
  const text = `${"filler ".repeat(50)}needle ${"more ".repeat(50)}`;
  const [hit] = findPassages([page("/docs/x", "X", ["Y", text])], "needle");
  expect(hit!.excerpt).toContain("needle");
  expect(hit!.excerpt.length).toBeLessThan(200);
});

test.each([
  ["webhoks", "webhooks", 1],
  ["wehbooks", "webhooks", 1],
  ["idempotncy", "idempotency", 1],
  ["authentification", "authentication", 2],
  ["sandbox", "sandboxes", 0],
  ["orders", "borders", 3],
])("%s is as far from %s as %d", (word, term, typos) => {
  expect(Math.min(typosBetween(word, term, 2), 3)).toBe(typos);
});

test("a typo finds the word, a mistyped code finds nothing", () => {
  expect(found("wbehooks")[0]).toBe("/docs/guides/webhooks");
  expect(found("42228")).toEqual([]);
});

test("a question finds the passage with most of its words", () => {
  expect(found("how do I verify a parcel")).toEqual(["/docs/guides/webhooks#p1"]);
});
