import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Node, parseSync } from "oxc-parser";
import { dashboardTableWords } from "./dashboard-table-words.ts";
import { portalTableWords } from "./portal-table-words.ts";
import { tableWords } from "./table-words.ts";

const src = fileURLToPath(new URL("../../web/src/", import.meta.url));
export const apps = ["dashboard", "portal"] as const;
export type App = (typeof apps)[number];

/** The English texts of an app, by the file that has them. The frame and the controls belong to both apps. */
export function wordsOf(app: App): Record<string, string[]> {
  const texts: Record<string, string[]> = {};
  for (const file of sources(app)) {
    const found = [...new Set(readWords(file).texts)];
    if (found.length > 0) texts[file] = found;
  }
  return { ...texts, ...tableWords(), ...(app === "dashboard" ? dashboardTableWords() : portalTableWords()) };
}

/** What `npm run docs` writes for reviewers and translators. */
export const wordsFile = (app: App): string => `${JSON.stringify(wordsOf(app), null, 2)}\n`;

export function sources(app: App): string[] {
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name) && [app, "app", "ui"].includes(name.split("/", 1)[0]!))
    .sort();
}

/** Elements whose text is code and stays as it is. */
const CODE = new Set(["code", "pre", "kbd"]);
const isWord = (text: string) => /[A-Za-z]{2}/.test(text);

/**
 * The texts that a file says, and `bare`: words in JSX that no `say` surrounds, and calls whose words are no literal, with
 * their lines.
 */
export function readWords(file: string): { texts: string[]; bare: string[] } {
  const source = readFileSync(join(src, file), "utf8");
  const { program } = parseSync(file, source);
  const texts: string[] = [];
  const bare: string[] = [];
  const note = (node: Node, what: string) =>
    bare.push(`${file}:${source.slice(0, node.start).split("\n").length} ${what.trim().slice(0, 60)}`);
  const literal = (node: Node | undefined) =>
    node?.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) visit(one);
    if (node === null || typeof node !== "object" || !("type" in node)) return;
    const one = node as Node;
    if (one.type === "JSXElement" && "name" in one.openingElement.name && isCode(one.openingElement.name.name)) {
      for (const child of one.children) if (child.type !== "JSXText") visit(child);
      return;
    }
    if (one.type === "JSXText" && isWord(one.value)) note(one, one.value);
    if (one.type === "CallExpression" && one.callee.type === "Identifier") {
      const [first, second, third] = one.arguments as (Node | undefined)[];
      if (one.callee.name === "say" || one.callee.name === "sayWith") {
        const text = literal(first);
        if (text === undefined) note(one, source.slice(one.start, one.end));
        else texts.push(text);
      }
      if (one.callee.name === "counted") {
        const text = literal(second);
        if (text === undefined) note(one, source.slice(one.start, one.end));
        else texts.push(`{count} ${text}`, `{count} ${literal(third) ?? `${text}s`}`);
      }
    }
    for (const [key, value] of Object.entries(one)) if (key !== "parent") visit(value);
  };
  visit(program.body);
  return { texts, bare };
}

const isCode = (name: unknown) => typeof name === "string" && CODE.has(name);
