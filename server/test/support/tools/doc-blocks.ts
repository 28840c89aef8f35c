import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** A fenced block of a page: its language, its attributes (`exit="1"`), and its line. */
export type DocBlock = {
  page: string;
  line: number;
  language: string;
  says: Record<string, string>;
  text: string;
  /** The block before it, if only connecting text is between them. */
  after: DocBlock | undefined;
};

/** Every Markdown file of the documentation, from the repository root. */
export const docPages: string[] = [
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  "sdk/README.md",
].sort();

export const readDoc = (page: string): string => readFileSync(join(ROOT, page), "utf8");

export function docBlocks(page: string): DocBlock[] {
  const text = readDoc(page);
  const blocks: DocBlock[] = [];
  for (const match of text.matchAll(/^```(\w*)([^\n]*)\n(.*?)^```$/gms)) {
    const [, language = "", info = "", body = ""] = match;
    const says = Object.fromEntries(
      [...info.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    );
    const line = text.slice(0, match.index).split("\n").length;
    blocks.push({ page, line, language, says, text: body, after: blocks.at(-1) });
  }
  return blocks;
}
