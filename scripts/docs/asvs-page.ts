import { type AsvsRow, asvs, chapters, levels } from "./asvs-table.ts";
import { code, generated, page, table } from "./markdown.ts";

const WORDS = { shown: "yes", written: "yes", no: "**no**", none: "does not apply" } as const;

export const levelOf = (number: string): number => {
  const [, section = "", requirement = ""] = /^(\d+\.\d+)\.(\d+)$/.exec(number) ?? [];
  return Number(levels[section]?.[Number(requirement) - 1]);
};
const chapterOf = ({ number }: AsvsRow) => number.split(".")[0]!;
const linked = (path: string) => `[${path.replace(/^server\/test\/|\.test\.ts$/g, "")}](../${path})`;

function proofOf({ verdict }: AsvsRow): string {
  const files = verdict.kind === "shown" ? verdict.tests : verdict.kind === "written" ? verdict.pages : [];
  return [files.map(linked).join(", "), verdict.note].filter((part) => part !== "").join(". ");
}

export function asvsPage() {
  const count = (level: number, kind: AsvsRow["verdict"]["kind"][]) =>
    asvs.filter(({ number, verdict }) => levelOf(number) === level && kind.includes(verdict.kind)).length;
  return page(
    generated("`scripts/docs/asvs-table.ts`"),
    "# ASVS\n",
    "You will see how Pestle meets the [OWASP Application Security Verification Standard 5.0](https://owasp.org/www-project-application-security-verification-standard/). The page has every requirement of levels 1 and 2, and those of level 3 that Pestle meets. The names are ours; the standard has the text. `yes` names the tests that show it, or the page that says it if the standard requires a document. `no` says what is missing.\n",
    table(
      ["level", "yes", "no", "does not apply"],
      [1, 2, 3].map((level) => [
        level,
        count(level, ["shown", "written"]),
        count(level, ["no"]),
        count(level, ["none"]),
      ]),
    ),
    ...Object.entries(chapters).flatMap(([chapter, name]) => [
      `## ${chapter} ${name}\n`,
      table(
        ["number", "level", "requirement", "met", "proof or reason"],
        asvs
          .filter((row) => chapterOf(row) === chapter)
          .map((row) => [code(row.number), levelOf(row.number), row.name, WORDS[row.verdict.kind], proofOf(row)]),
      ),
    ]),
  );
}
