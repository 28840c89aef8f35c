import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** A phrase that makes our English read like a translation, and what to write instead. docs/style.md lists them. */
type GiveAway = { phrase: string; pattern: RegExp; write: string };
export type Hit = { file: string; line: number; phrase: string; text: string };
/** Prose of a file. Everything else is blanked out, so that an offset still gives the line. */
type Prose = { file: string; text: string };

/** In a pattern, a space matches any whitespace, so a phrase is found across line breaks. */
export const giveAways: readonly GiveAway[] = [
  row(
    "whoever, whosoever, whomever",
    "who(so)?ever|whomever",
    "name the person or program: the caller, the sender, a transaction",
  ),
  row("whatever", "whatever", "regardless of; any"),
  row(
    "nobody, somebody, everybody, anybody",
    "(no|some|every|any)body('s)?",
    "name the role, or: no one, a person, all users",
  ),
  row(
    "is told, are told, was told, be told",
    "(is|are|was|were|be|been) told",
    "the caller receives; the page shows; the service notifies",
  ),
  row("tells of", "(tells?|telling|told) of", "reports; describes"),
  row(
    "stands (at, in, for, open, once, twice …)",
    "(stands?|stood) (at|in|on|for|open|once|twice|where|there|beside|between|above|alone|still)",
    "is; the stage; means; appears",
  ),
  row(
    "of these none, of which none",
    "of (these|which|those|them),? (none|only|just)",
    "none of these; only one of them",
  ),
  row("what waits", "what waits", "the queue; pending work"),
  row("what is there, what is left, what is so", "what is (there|left|so)(?! to)", "the existing record; the rest"),
  row("no more, any more (at the end)", "(no|any) more(?=[.,;:)]|$| \\n)", "no longer; not anymore"),
  row("it is no, this is no", "(it|this|that|which) is no(?! longer)", "it is not a"),
  row("for want of", "for want of", "because there is no"),
  row("of its own accord, all by itself", "of (its|their) own accord|all by itself", "automatically"),
  row("in all (at the end)", "in all(?=[.,;:)]|$)", "in total"),
  row("is asked for, are asked for", "(is|are|was|were|be) asked for", "requests; on request"),
  row(
    "makes of it, is made of it",
    "(makes?|made) (nothing |something )?of (it|them|this)",
    "creates from it; how it reads it",
  ),
  row(
    "what became of, what comes of",
    "what (became|becomes|came|comes) of|(comes?|came) of it",
    "the outcome; the result",
  ),
  row("to be had, is to be found", "(is|are) to be (had|found|seen|done)", "is available; is in"),
  row("anew", "anew", "again"),
  row(
    "hitherto, therein, thereof, whence, wherein, thereby",
    "hitherto|therein|thereof|whence|wherein|thereby",
    "so far; in it; of it; from which",
  ),
  row("one's own, of one's", "one's own|of one's", "your own; their own"),
  row(
    "British spelling",
    "(colour|honour|behaviour|neighbour|favour)(s|ed|ing|ite)?|\\w+(ali|ori|ogni)s(e|ed|es|ing|ation)|misspelt|back-ups?|e-mails?",
    "color, honor, authorize, misspelled, backup, email",
  ),
];

/** Labels that pharmacists and partners found odd on screens. Elsewhere, most of these words are fine. */
export const oddLabels: readonly GiveAway[] = [
  row("read again", "read again", "Refresh"),
  row("nothing waits", "nothing waits", "All caught up"),
  row("waits", "waits", "Waiting; is pending"),
  row("work on it", "work on it", "Claim"),
  row("let go", "let go", "Release"),
  row("end it", "ends? it", "Resolve; Expire; Revoke"),
  row("Back, Go back (in dialogs)", "(?<=[>\"']\\s*)(go )?back(?=[\"']|\\s*$|\\s{2})", "Cancel; Keep order"),
  row("differs, as usual", "differs, (as usual|expected)", "Generic equivalent"),
  row("all are right", "all are right|confirm check", "Verify and continue"),
  row("used up", "used up", "Out of stock; No refills left"),
  row("units that came", "units (that came|received)", "Quantity received"),
  row("left the house", "left the house", "Shipped"),
  row("waits for acceptance", "(waits|waiting) for acceptance|needs acceptance", "Needs pharmacist approval"),
  row("at the door", "at the (front )?door", "Failed sign-in"),
  row("on guard, canary", "on guard|canary|canaries", "Active; Self-tests pass"),
  row("there is nothing here", "there is nothing here|nothing is here", "Page not found; No orders yet"),
  row("a fault", "(a|our|your) fault", "Something went wrong; Server errors"),
  row("shown this once", "this once|cannot view it again", "You won't see this again"),
  row("half take less", "half take less", "Median (p50)"),
  row("given up", "(given|gave|gives?) up", "Failed"),
  row("make one up", "makes? one up", "Generate"),
  row("let in", "let in", "Added"),
  row("room below the limit", "room below", "Rate-limit headroom"),
];

/** Real words that the British-spelling pattern would match. */
const NOT_BRITISH = /^(realise|otherwise|specialist)$/i;

function row(phrase: string, pattern: string, write: string): GiveAway {
  return { phrase, pattern: new RegExp(`\\b(?:${pattern.replaceAll(" ", "\\s+")})(?!\\w)`, "gim"), write };
}

export function findGiveAways(all: readonly Prose[], rows: readonly GiveAway[] = giveAways): Hit[] {
  return all.flatMap(({ file, text }) =>
    rows.flatMap(({ phrase, pattern }) =>
      [...text.matchAll(pattern)]
        .filter(([match]) => !NOT_BRITISH.test(match))
        .map((match) => ({
          file,
          line: text.slice(0, match.index).split("\n").length,
          phrase,
          text: match[0].replace(/\s+/g, " "),
        })),
    ),
  );
}

/** Pages that people write by hand. Generated pages get their text from tables, which `visibleText` reads. */
export function handwrittenPages(root: string): Prose[] {
  const pages = [
    ...filesBelow(root, "docs", /\.md$/),
    ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "KNOWN-LIMITATIONS.md", "CHANGELOG.md"],
    ...["sdk/README.md", "cli/README.md", "python/README.md"],
    ...["partner", "receiver", "python-receiver"].map((name) => `examples/${name}/README.md`),
  ];
  return pages
    .filter((file) => file !== "docs/style.md")
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }))
    .filter(({ text }) => !text.startsWith("<!-- Generated"))
    .map(({ file, text }) => ({
      file,
      text: markdownProse(file === "CHANGELOG.md" ? beforeFirstRelease(text) : text),
    }));
}

/** What users of the screens, the command line, the API and the generated pages read: strings with a space, and JSX text. */
export const visibleText = (root: string): Prose[] => [
  ...sources(root, SOURCES, "text"),
  ...sources(root, ["scripts/docs", "scripts/site"], "text"),
  ...["ARCHITECTURE.md", "web/README.md"].map((file) => ({
    file,
    text: markdownProse(readFileSync(join(root, file), "utf8")),
  })),
];

/** What people read on the screens, including labels in tables of the contract. */
export const screenText = (root: string): Prose[] => sources(root, ["web/src", "contract/src"], "text");

export const comments = (root: string): Prose[] => sources(root, SOURCES, "comment");

const SOURCES = ["server/src", "web/src", "contract/src", "sdk/src", "cli/src"];

const sources = (root: string, folders: readonly string[], kind: "comment" | "text"): Prose[] =>
  folders
    .flatMap((folder) => filesBelow(root, folder, /\.tsx?$/))
    .map((file) => ({ file, text: proseOfSource(readFileSync(join(root, file), "utf8"), kind) }));

const filesBelow = (root: string, folder: string, name: RegExp): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => name.test(file))
    .map((file) => join(folder, file))
    .sort();

/** Entries below 0.1.0 keep the words they were published with. */
const beforeFirstRelease = (text: string): string => text.split(/^## 0\.0\./m)[0]!;

const blank = (text: string): string => text.replace(/[^\n]/g, " ");

/** Without code, link targets and comments. Titles of decisions stay as they were. */
const markdownProse = (text: string): string =>
  text
    .replace(/^```.*?^```$/gms, blank)
    .replace(/<!--.*?-->/gs, blank)
    .replace(/^# \d{4} .*$/gm, blank)
    .replace(/`[^`\n]*(\n[^`\n]*)?`/g, blank)
    .replace(/\]\([^)\s]*\)/g, blank);

/**
 * A scanner instead of a parser, because the native compiler has no JavaScript API. It knows comments, strings, templates
 * and regular expressions, which is enough to tell prose from code.
 */
const TOKEN =
  /(?<comment>\/\*.*?\*\/|\/\/[^\n]*)|(?<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?<=[(,=:[!&|?;]\s*|=>\s*|return\s)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*|>(?<jsx>[^<>{}=;`"]*[a-z][^<>{}=;`"]*)(?=[<{])/gs;

/** Several words, or a label of one word. */
const SENTENCE = /\S\s+\S|^.[A-Z][a-z]+.$/;

export function proseOfSource(source: string, kind: "comment" | "text"): string {
  let prose = "";
  let end = 0;
  for (const { index, 0: token, groups } of source.matchAll(TOKEN)) {
    const { comment, text, jsx } = groups!;
    const isProse =
      kind === "comment" ? comment !== undefined : jsx !== undefined || (text !== undefined && SENTENCE.test(text));
    prose +=
      blank(source.slice(end, index)) + (isProse ? token.replace(/^[ \t]*(\/\*\*?|\*|\/\/)/gm, blank) : blank(token));
    end = index + token.length;
  }
  return prose + blank(source.slice(end));
}

/** `tsx scripts/plain-english.ts` prints every hit. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(fileURLToPath(import.meta.url), "../..");
  for (const [name, all] of Object.entries({
    pages: handwrittenPages(root),
    text: visibleText(root),
    comments: comments(root),
  })) {
    const hits = findGiveAways(all);
    for (const { file, line, text } of hits) console.log(`${name} ${relative(root, join(root, file))}:${line} ${text}`);
    const counts: Record<string, number> = {};
    for (const { file } of hits) {
      const folder = file.split("/").slice(0, 2).join("/");
      counts[folder] = (counts[folder] ?? 0) + 1;
    }
    console.log(`${name}: ${hits.length}`, counts);
  }
}
