import { medicalWords } from "../values/text.ts";
import type { CheckedItem, CheckedOrder } from "./checked-order.ts";
import { pairsOf, type SafetyData, type Substance } from "./data.ts";
import { advices, holdBy, OWN_RULE, type SafetyFinding, sentences } from "./finding.ts";
import { type ExcipientRow, type Severity, severities } from "./rows.ts";
import { understand } from "./texts/understand.ts";

/** How a drug of the order relates to an allergy: the drug itself, its class, or a similar class. */
type Reaction = { severity: Severity; message: string; source: string; allergen: string };

/** Checks the patient's allergies against every item. `unknownFindings` reports the entries that it cannot read. */
export function allergyFindings(
  data: SafetyData,
  { items }: CheckedOrder,
  allergies: readonly string[],
): SafetyFinding[] {
  const drugs = items.flatMap(({ substances }) => substances);
  if (drugs.length === 0) return [];
  return allergies.flatMap((text) => {
    const { substances, excipients } = understand(data, text);
    const named = strangersIn(text, drugs);
    const intolerance = isIntolerance(data, text, substances);
    return [
      ...items.flatMap((item) => itemFindings(data, item, [...substances, ...named], excipients, intolerance)),
      ...excipients.map((row) => excipientFinding(data, row)),
    ];
  });
}

/** Drugs of the order that no table knows but the text names. */
export function strangersIn(text: string, drugs: readonly Substance[]): Substance[] {
  const strangers = drugs.filter(({ source }) => source === null);
  if (strangers.length === 0) return [];
  const words = ` ${medicalWords(text)} `;
  return strangers.filter(({ name }) => words.includes(` ${name} `));
}

/** For each drug of the item, uses the closest match in the entry, so that one entry is reported once. */
function itemFindings(
  data: SafetyData,
  { item_id, substances, drug: product }: CheckedItem,
  allergens: readonly Substance[],
  excipients: readonly ExcipientRow[],
  intolerance: boolean,
): SafetyFinding[] {
  return substances.flatMap((drug) => {
    const reactions = [
      ...allergens.flatMap((allergen) => milder(reactionTo(data, allergen, drug), intolerance) ?? []),
      ...excipients.flatMap((row) => reactionToExcipient(data, row, drug, product) ?? []),
    ];
    const closest = severities.flatMap((severity) => reactions.filter((one) => one.severity === severity))[0];
    if (closest === undefined) return [];
    const { allergen, severity, message, source } = closest;
    return {
      kind: "allergy" as const,
      severity,
      exception_id: holdBy(74, severity),
      item_id,
      key: `allergy ${allergen} ${drug.name}`,
      message,
      advice: severity === "moderate" ? advices.allergy_warning : advices.allergy_hold,
      source,
      version: data.version,
    };
  });
}

/**
 * "Codeine - nausea" is a side effect, which says little about the other drugs of the class. The drug itself still needs
 * a pharmacist, and so does an entry that also names a sign of an allergy. With two drugs in the entry, the side effect
 * can belong to either.
 */
function isIntolerance({ rows }: SafetyData, text: string, named: readonly Substance[]): boolean {
  if (named.length !== 1 || named[0]?.is_class) return false;
  const words = ` ${medicalWords(text)} `;
  const has = (phrase: string) => words.includes(` ${phrase} `);
  return rows.words.side_effects.some(has) && !rows.words.allergy_signs.some(has);
}

const milder = (reaction: Reaction | undefined, intolerance: boolean): Reaction | undefined =>
  reaction !== undefined && intolerance && reaction.severity === "major"
    ? { ...reaction, severity: "moderate" }
    : reaction;

function reactionTo(data: SafetyData, allergen: Substance, drug: Substance): Reaction | undefined {
  if (allergen.name === drug.name) {
    const source = drug.source === null ? OWN_RULE : data.citationOf({ source: drug.source });
    const message = sentences.allergy_ingredient(drug.shown);
    return { severity: "contraindicated", message, source, allergen: allergen.name };
  }
  const shared = allergen.classes.find(
    (row) => (allergen.is_class ? row.allergy !== null : row.allergy === "members") && drug.classes.includes(row),
  );
  if (shared !== undefined) {
    const message = sentences.allergy_class(drug.shown, allergen.shown, shared.name);
    return { severity: "major", message, source: data.citationOf(shared), allergen: allergen.name };
  }
  const rows = pairsOf(data.cross_reactions, allergen, drug).map(({ row }) => row);
  const row = rows.find(({ severity }) => severity === "major") ?? rows[0];
  if (row === undefined) return undefined;
  const message = sentences.allergy_cross(drug.shown, allergen.shown, row.note);
  return { severity: row.severity, message, source: data.citationOf(row), allergen: allergen.name };
}

function reactionToExcipient(
  data: SafetyData,
  row: ExcipientRow,
  drug: Substance,
  product: string | undefined,
): Reaction | undefined {
  const source = data.citationOf(row);
  if (drug.name === row.excipient) {
    const message = sentences.allergy_ingredient(drug.shown);
    return { severity: "contraindicated", message, source, allergen: row.excipient };
  }
  const words = ` ${medicalWords(product ?? "")} `;
  const has = (phrase: string) => words.includes(` ${phrase} `);
  const usual = row.ingredients.includes(drug.name) && !row.except_products.some(has);
  if (!usual && !row.products.some(has)) return undefined;
  const message = sentences.allergy_contained(drug.shown, row.excipient);
  return { severity: "major", message, source, allergen: row.excipient };
}

/** The tables have no inactive ingredients of packages, so a person must check them. */
const excipientFinding = (data: SafetyData, row: ExcipientRow): SafetyFinding => ({
  kind: "allergy",
  severity: "moderate",
  exception_id: null,
  item_id: null,
  key: `allergy ${row.excipient}`,
  message: sentences.allergy_excipient(row.excipient),
  advice: advices.allergy_excipient,
  source: data.citationOf(row),
  version: data.version,
});
