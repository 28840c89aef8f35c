import { medicalWords } from "../values/text.ts";
import type { Entry } from "./absorbed.ts";
import type { CheckedOrder, Taken } from "./checked-order.ts";
import { hasPairs, pairsOf, type SafetyData, type Substance } from "./data.ts";
import { holdBy, places, type SafetyFinding, sentences } from "./finding.ts";
import { type CombinationRow, type RowException, type Severity, type Side, termOf } from "./rows.ts";

/** Checks every item against the others, and against the patient's current and recent medications. */
export function interactionFindings(data: SafetyData, { items, taken, conditions }: CheckedOrder): SafetyFinding[] {
  const findings = combinationFindings(data, items, taken);
  const patient = conditions.map((text) => ` ${medicalWords(text)} `);
  for (const [index, item] of items.entries()) {
    for (const other of items.slice(index + 1)) {
      const item_id = Math.min(item.item_id, other.item_id);
      addBetween(findings, data, item_id, item, other, { place: places.item(), ended_days_ago: 0 }, patient);
    }
    for (const other of taken) addBetween(findings, data, item.item_id, item, other, other, patient);
  }
  return findings;
}

function addBetween(
  findings: SafetyFinding[],
  data: SafetyData,
  item_id: number,
  own: Entry,
  other: Entry,
  { place, ended_days_ago }: Pick<Taken, "place" | "ended_days_ago">,
  conditions: readonly string[],
): void {
  for (const one of own.absorbed) {
    for (const two of other.absorbed) {
      const rows = rowsFor(data, one, two);
      // Ingredients of one product are combined on purpose.
      if (rows.length === 0 || holds(own.absorbed, two) || holds(other.absorbed, one)) continue;
      for (const { row, own: one_side, other: two_side, drugs } of rows) {
        if (ended_days_ago > row.washout_days) continue;
        const pair = [
          { substance: drugs[0], entry: own },
          { substance: drugs[1], entry: other },
        ];
        const exception = row.exceptions.find((rule) => applies(rule, pair, conditions));
        const severity: Severity | "none" = exception?.severity ?? row.severity;
        if (severity === "none") continue;
        // Sorted by name, so the result does not depend on which was ordered first.
        const shown = [
          { name: one.name, text: shownAs(data, one, one_side) },
          { name: two.name, text: shownAs(data, two, two_side) },
        ].sort((a, b) => (a.name < b.name ? -1 : 1)) as [Shown, Shown];
        findings.push({
          kind: "interaction",
          severity,
          exception_id: holdBy(75, severity),
          item_id,
          key: `interaction ${shown[0].name} ${shown[1].name}`,
          message: sentences.interaction(shown[0].text, shown[1].text, place, row.mechanism),
          advice: row.advice,
          source: data.citationOf(row),
          version: data.version,
        });
      }
    }
  }
}

/**
 * A listed "blood thinner" can be any of them, so the worst row counts. A class that contains the other drug adds nothing:
 * "a statin" can be this very statin.
 */
function rowsFor(data: SafetyData, one: Substance, two: Substance) {
  // Most pairs are two drugs without a row.
  if (!one.is_class && !two.is_class && !hasPairs(data.interactions, one, two)) return NONE;
  return possible(data, one, two).flatMap((own) =>
    possible(data, two, one).flatMap((other) =>
      pairsOf(data.interactions, own, other).map((pair) => ({ ...pair, drugs: [own, other] as const })),
    ),
  );
}

const NONE: readonly never[] = [];

function possible({ substances }: SafetyData, named: Substance, other: Substance): Substance[] {
  if (!named.is_class) return [named];
  const members = named.classes.flatMap(({ ingredients }) => ingredients);
  if (other.is_class || members.includes(other.name)) return [named];
  return [named, ...members.flatMap((name) => substances.get(name) ?? [])];
}

function applies(
  { drug, words, most_mg, above_mg, conditions }: RowException,
  pair: readonly { substance: Substance; entry: Entry }[],
  patient: readonly string[],
): boolean {
  if (conditions.length > 0 && !conditions.some((words) => patient.some((text) => text.includes(` ${words} `)))) {
    return false;
  }
  if (drug === null) return true;
  const entry = pair.find(({ substance }) => substance.name === drug)?.entry;
  if (entry === undefined) return false;
  if (words.length === 0 && most_mg === null && above_mg === null) return true;
  const text = ` ${medicalWords(entry.drug ?? "")} `;
  if (words.some((phrase) => text.includes(` ${phrase} `))) return true;
  const mg = strengthOf(entry);
  return mg !== null && ((most_mg !== null && mg <= most_mg) || (above_mg !== null && mg > above_mg));
}

/** "simvastatin 40 mg", "aspirin 81": a number without another unit. Two drugs in one entry could have either number. */
const STRENGTH = /(?<![\d.,-])(\d{1,5}(?:\.\d{1,3})?)(?:\s?mg\b|$|(?=\s(?!\s|mcg|g\b|ml|units?\b|iu\b|meq)[a-z(]))/i;

function strengthOf({ absorbed, drug }: Entry): number | null {
  const found = absorbed.length === 1 ? STRENGTH.exec(drug ?? "")?.[1] : undefined;
  return found === undefined ? null : Number(found);
}

/**
 * Checks rows of three or more drugs. One finding for each drug of the order that takes part, because a list of many
 * drugs would give a finding for each of their combinations.
 */
function combinationFindings(
  data: SafetyData,
  items: CheckedOrder["items"],
  taken: CheckedOrder["taken"],
): SafetyFinding[] {
  const { combinations } = data.rows;
  if (combinations.length === 0 || items.length + taken.length < 2) return [];
  const present = new Map<string, Substance>();
  for (const { absorbed } of items) for (const one of absorbed) present.set(one.name, one);
  for (const { absorbed, ended_days_ago } of taken) {
    if (ended_days_ago <= 0) for (const one of absorbed) present.set(one.name, one);
  }
  const terms = new Set<string>();
  for (const one of present.values()) for (const term of one.terms) terms.add(term);
  const possible = combinations.filter(({ sides }) => sides.every((side) => terms.has(termOf(side))));
  if (possible.length === 0) return [];
  const all = [...present.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return possible.flatMap((row) =>
    items.flatMap((item) =>
      item.absorbed.flatMap((own): SafetyFinding[] => {
        const others = othersOf(row, own, all);
        if (others === undefined) return [];
        // Ingredients of one product are combined on purpose.
        if (others.every((one) => holds(item.absorbed, one))) return [];
        return [
          {
            kind: "interaction",
            severity: row.severity,
            exception_id: holdBy(75, row.severity),
            item_id: item.item_id,
            key: `interaction ${row.combination} ${own.name}`,
            message: sentences.combination(
              own.shown,
              others.map(({ shown }) => shown),
              row.mechanism,
            ),
            advice: row.advice,
            source: data.citationOf(row),
            version: data.version,
          },
        ];
      }),
    ),
  );
}

/** A different drug for each of the remaining sides, if this drug takes one of them. */
function othersOf({ sides }: CombinationRow, own: Substance, all: readonly Substance[]): Substance[] | undefined {
  const rest = all.filter(({ name }) => name !== own.name);
  for (const [index, side] of sides.entries()) {
    if (!fits(side)(own)) continue;
    const others = filled(
      sides.filter((_, at) => at !== index),
      rest,
    );
    if (others !== undefined) return others;
  }
  return undefined;
}

function filled([side, ...sides]: readonly Side[], drugs: readonly Substance[]): Substance[] | undefined {
  if (side === undefined) return [];
  for (const one of drugs.filter(fits(side))) {
    const others = filled(
      sides,
      drugs.filter(({ name }) => name !== one.name),
    );
    if (others !== undefined) return [one, ...others];
  }
  return undefined;
}

const fits = (side: Side) => {
  const term = termOf(side);
  return ({ terms }: Substance) => terms.includes(term);
};

type Shown = { name: string; text: string };

/** Includes the class that the row names. */
function shownAs({ classes }: SafetyData, { shown, is_class }: Substance, side: Side): string {
  return "class" in side && !is_class ? `${shown} [${classes.get(side.class)?.name}]` : shown;
}

const holds = (substances: readonly Substance[], { name }: Substance) => substances.some((one) => one.name === name);
