import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  comments,
  findGiveAways,
  giveAways,
  type Hit,
  handwrittenPages,
  oddLabels,
  proseOfSource,
  screenText,
  visibleText,
} from "../../../../scripts/plain-english.ts";
import { ROOT } from "../../support/tools/doc-blocks.ts";

/** Strings and JSX text of the sources. Never raise it. */
const VISIBLE_TEXT_HITS_ALLOWED = 0;
/** Comments of the sources. Never raise it. */
const COMMENT_HITS_ALLOWED = 3;

const listed = (hits: Hit[]) => hits.map(({ file, line, text }) => `${file}:${line} ${text}`);

test("no page that people write contains a give-away phrase", () => {
  expect(listed(findGiveAways(handwrittenPages(ROOT)))).toEqual([]);
});

test("screens, errors, command help and tables contain no more give-away phrases than today", () => {
  const hits = findGiveAways(visibleText(ROOT));
  expect(hits.length, listed(hits).join("\n")).toBeLessThanOrEqual(VISIBLE_TEXT_HITS_ALLOWED);
});

test("no screen has a label that people found odd", () => {
  expect(listed(findGiveAways(screenText(ROOT), oddLabels))).toEqual([]);
});

test("comments contain no more give-away phrases than today", () => {
  const hits = findGiveAways(comments(ROOT));
  expect(hits.length, listed(hits).join("\n")).toBeLessThanOrEqual(COMMENT_HITS_ALLOWED);
});

test("the style page lists every give-away phrase with its replacement", () => {
  const page = readFileSync(join(ROOT, "docs/style.md"), "utf8");
  for (const { phrase, write } of [...giveAways, ...oddLabels]) expect(page).toContain(`| ${phrase} | ${write} |`);
});

test.each([
  ["across lines", "it is\ntold", "is told"],
  ["in any letter case", "Whoever calls", "Whoever"],
  ["at the end of a sentence", "It waits no more.", "no more"],
])("finds a phrase %s", (_, text, found) => {
  expect(findGiveAways([{ file: "page.md", text }]).map((hit) => hit.text)).toEqual([found]);
});

test.each([
  ["a button of a dialog", "<Button onClick={onClose}>Back</Button>", ["Back"]],
  ["a button on several lines", "<Button\n  onClick={onClose}\n>\n  Go back\n</Button>", ["Go back"]],
  ["a label of one word", 'const column = { name: "Waits" };', ["Waits"]],
  ["words of a longer label", 'const title = "Nothing waits here";', ["Nothing waits", "waits"]],
  ["a link that says where it leads", "<Link>Back to sign-in</Link>", []],
  ["code", 'const back = waits("back");', []],
])("looks for odd labels in %s", (_, source, found) => {
  const prose = { file: "screen.tsx", text: proseOfSource(source, "text") };
  expect(findGiveAways([prose], oddLabels).map((hit) => hit.text)).toEqual(found);
});

test.each(["no more than ten", "understands it", "a wholesale order", "in all accounts"])("accepts %j", (text) => {
  expect(findGiveAways([{ file: "page.md", text }])).toEqual([]);
});
