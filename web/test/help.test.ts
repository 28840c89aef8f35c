import { readFileSync } from "node:fs";
import type { Colleague } from "@pestle/contract";
import { expect, test } from "vitest";
import { blocksOf, GUIDE, sectionOf } from "../src/dashboard/help/guide-text.ts";
import { helpSections } from "../src/dashboard/help/sections.ts";
import { completed, suggestedColleagues } from "../src/dashboard/order/people/suggested-colleagues.ts";
import { screens } from "../src/dashboard/screens.ts";

const guide = readFileSync(new URL("../../docs/guides/dashboard.md", import.meta.url), "utf8");

test("every screen of the dashboard has a section of the guide, and every section in the table belongs to a screen", () => {
  const paths = screens.map(({ path }) => path);
  expect(paths.filter((path) => helpSections[path] === undefined)).toEqual([]);
  expect(Object.keys(helpSections).filter((path) => !paths.includes(path))).toEqual([]);
  const empty = Object.values(helpSections).filter((heading) => blocksOf(sectionOf(guide, heading) ?? "").length === 0);
  expect(empty).toEqual([]);
});

test("the guide's text is shown whole: no Markdown remains in it, and its links lead to pages of the site", () => {
  const headings = [...guide.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  const parts = headings.flatMap((heading) =>
    blocksOf(sectionOf(guide, heading)!).flatMap((block) =>
      block.kind === "paragraph" ? block.text : block.kind === "list" ? block.items.flat() : block.rows.flat(2),
    ),
  );
  expect(parts.filter(({ kind, text }) => kind !== "code" && /\*\*|`|\]\(|^[-|]\s|^!\[/.test(text))).toEqual([]);
  const links = parts.flatMap((part) => (part.kind === "link" ? [part.href] : []));
  expect(links.length).toBeGreaterThan(3);
  for (const href of links) expect(href).toMatch(/^\/docs\/[a-z/-]+(#[\w-]+)?$/);
});

test("a section ends at the next heading, and its text becomes paragraphs, lists and tables", () => {
  const text = [
    "## One",
    "",
    "![a picture](x.png)",
    "",
    "First **bold** line",
    "and `code`, see [the page](../exceptions.md#a-b) or [here](#two):",
    "- one",
    "- two",
    "  goes on",
    "",
    "1. first",
    "2. second",
    "",
    "| a | b |",
    "|---|---|",
    "| `x` | y |",
    "### Two",
    "Other.",
  ].join("\n");
  const plain = (...texts: string[]) => texts.map((one) => [{ kind: "text", text: one }]);
  expect(blocksOf(sectionOf(text, "One")!)).toEqual([
    {
      kind: "paragraph",
      text: [
        { kind: "text", text: "First " },
        { kind: "strong", text: "bold" },
        { kind: "text", text: " line and " },
        { kind: "code", text: "code" },
        { kind: "text", text: ", see " },
        { kind: "link", text: "the page", href: "/docs/exceptions#a-b" },
        { kind: "text", text: " or " },
        { kind: "link", text: "here", href: `${GUIDE}#two` },
        { kind: "text", text: ":" },
      ],
    },
    { kind: "list", ordered: false, items: plain("one", "two goes on") },
    { kind: "list", ordered: true, items: plain("first", "second") },
    { kind: "table", head: plain("a", "b"), rows: [[[{ kind: "code", text: "x" }], [{ kind: "text", text: "y" }]]] },
  ]);
  expect(sectionOf(text, "Three")).toBe(null);
});

test("typing @ offers colleagues by any word of their name, until the name is complete", () => {
  const staff = ["Dana Reed", "Tess Quill", "Tom Reed"].map(
    (name): Colleague => ({ person_id: name, name, role: "technician" }),
  );
  const offered = (text: string) => suggestedColleagues(text, staff).map(({ name }) => name);
  expect(offered("See @")).toEqual(["Dana Reed", "Tess Quill", "Tom Reed"]);
  expect(offered("See @t")).toEqual(["Tess Quill", "Tom Reed"]);
  expect(offered("@REED")).toEqual(["Dana Reed", "Tom Reed"]);
  expect(offered("@Tom R")).toEqual(["Tom Reed"]);
  for (const none of ["", "t", "x@t", "@Tom Reed", "@Tom Reed please", "@Tom, t"])
    expect([none, offered(none)]).toEqual([none, []]);
  expect(completed("See @re", staff[2]!)).toBe("See @Tom Reed ");
});
