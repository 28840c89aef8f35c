import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { assessSafety } from "../../../src/domain/safety/assess-safety.ts";
import type { SafetyFinding } from "../../../src/domain/safety/finding.ts";
import { isUnderstood, understand } from "../../../src/domain/safety/texts/understand.ts";
import { NOW, shipped } from "../../support/samples/safety.ts";

/** Patients that were written without reading the tables: the words of clinics and patients, not of the tables. */

type Case = { line: string; expects: string; findings: SafetyFinding[] };

/** Reads and checks like `pestle safety check`. */
function casesOf(text: string): Case[] {
  let expects = "";
  return text.split("\n").flatMap((line) => {
    if (line.startsWith("## ")) expects = line.slice(3).trim();
    if (line.startsWith("#") || !line.includes("|")) return [];
    const [drug = "", conditions = "", who = "", sig = "", supply = ""] = line.split("|").map((part) => part.trim());
    const [sex, age] = who.split(" ");
    const [quantity, days] = supply.split("/");
    const understood = understand(shipped, drug);
    const ingredients = isUnderstood(understood) ? understood.substances.map(({ name }) => name) : [];
    const findings = assessSafety(shipped, {
      items: [
        {
          item_id: 1,
          ingredients: ingredients.length > 0 ? ingredients : [drug],
          drug,
          is_drug: true,
          gcn: null,
          sig_text: sig || null,
          units: quantity ? Number(quantity) : null,
          days_supply: days ? Number(days) : null,
          drug_schedule: "0",
        },
      ],
      fills: [],
      allergies: [],
      medications: [],
      conditions: conditions === "" ? [] : conditions.split(";").map((one) => one.trim()),
      patient: {
        dob: age ? `${NOW.getUTCFullYear() - Number(age)}-01-01` : null,
        gender: sex === "F" || sex === "M" ? sex : null,
        weight_kg: null,
      },
      now: NOW,
    });
    return [{ line, expects, findings }];
  });
}

const holds = ({ exception_id }: SafetyFinding) => exception_id !== null;
function isAsExpected({ expects, findings }: Case): boolean {
  if (expects === "quiet") return !findings.some(holds);
  if (expects === "any") return findings.length > 0;
  return findings.some((finding) => finding.kind === expects && holds(finding));
}
const missed = (cases: readonly Case[]) =>
  cases
    .filter((one) => !isAsExpected(one))
    .map(({ line, findings }) => [line, ...findings.map(({ message }) => message)]);

const files = readdirSync(new URL(".", import.meta.url)).filter((name) => /^panel-outside.*\.txt$/.test(name));

describe.each(files)("%s", (file) => {
  const cases = casesOf(readFileSync(new URL(file, import.meta.url), "utf8"));
  test.each([...new Set(cases.map(({ expects }) => expects))])("finds what it must: %s", (expects) => {
    expect(missed(cases.filter((one) => one.expects === expects))).toEqual([]);
  });
});

test("the panels are large enough", () => {
  const all = files.flatMap((file) => casesOf(readFileSync(new URL(file, import.meta.url), "utf8")));
  const quiet = all.filter(({ expects }) => expects === "quiet").length;
  expect([all.length - quiet >= 300, quiet >= 150]).toEqual([true, true]);
});
