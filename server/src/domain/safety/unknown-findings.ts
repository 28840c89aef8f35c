import { medicalWords } from "../values/text.ts";
import { strangersIn } from "./allergy-findings.ts";
import type { CheckedOrder } from "./checked-order.ts";
import type { SafetyData, Substance } from "./data.ts";
import { holdBy, OWN_RULE, type SafetyFinding } from "./finding.ts";
import type { SafetyFacts } from "./safety-facts.ts";
import { isUnderstood, readIngredient, type Understood, understand } from "./texts/understand.ts";

/** The patient's lists, and the exception that holds an order for an entry that is not understood. */
const lists = {
  medications: { name: "medications", exception_id: 75 },
  allergies: { name: "allergies", exception_id: 74 },
} as const;

/** Names come from the tables and of products. No sentence repeats the text of a patient. */
const sentences = {
  entry: (list: string, place: number) =>
    `Entry ${place} of the patient's ${list} could not be understood, so nothing was checked against it.`,
  partly: (list: string, place: number, names: string) =>
    `Entry ${place} of the patient's ${list} could not be understood in full. It was checked as ${names}.`,
  misspelled: (list: string, place: number, names: string) =>
    `Entry ${place} of the patient's ${list} is not a known name. Did you mean ${names}? It was checked as that.`,
  no_ingredients: () => "The product lists no ingredients, so it could not be checked.",
  ingredient: (name: string) => `The tables do not know ${name}, so it could not be checked.`,
  misspelled_ingredient: (name: string, names: string) =>
    `The tables do not know ${name}. Did you mean ${names}? It was checked as that.`,
} as const;

const advices = {
  entry: "Read the entry, ask the patient or the partner what it means, and record it by its name.",
  item: "Check the product by hand, and have its ingredients corrected in the catalogue.",
} as const;

/**
 * What the tables do not understand holds the order until a pharmacist has looked, because unchecked is not safe. A
 * misspelled name warns.
 */
export function unknownFindings(
  data: SafetyData,
  { items: checked }: CheckedOrder,
  { items, medications, allergies }: Pick<SafetyFacts, "items" | "medications" | "allergies">,
): SafetyFinding[] {
  const drugs = items.filter(({ is_drug }) => is_drug !== false);
  // Nothing can happen to a patient who gets no drug.
  if (drugs.length === 0) return [];
  const ordered = checked.flatMap(({ substances }) => substances);
  return [
    ...drugs.flatMap(({ item_id, ingredients }) => ofItem(data, item_id, ingredients)),
    ...medications.flatMap((text, index) => ofEntry(data, "medications", text, index + 1, [])),
    ...allergies.flatMap((text, index) => ofEntry(data, "allergies", text, index + 1, strangersIn(text, ordered))),
  ];
}

function ofItem(data: SafetyData, item_id: number, ingredients: readonly string[]): SafetyFinding[] {
  const found = ingredients.flatMap((ingredient) => {
    const { known, did_you_mean } = readIngredient(data, ingredient);
    if (known) return [];
    const name = medicalWords(ingredient) || "an ingredient without a name";
    const message =
      did_you_mean.length > 0 ? sentences.misspelled_ingredient(name, shown(did_you_mean)) : sentences.ingredient(name);
    return { key: `unknown_drug item ${name}`, message };
  });
  if (ingredients.length === 0) found.push({ key: "unknown_drug item", message: sentences.no_ingredients() });
  return found.map((one) => finding(data, 75, item_id, { ...one, advice: advices.item }));
}

/** `named`: drugs of the order that no table knows but the entry names, so it is understood after all. */
function ofEntry(
  data: SafetyData,
  list: keyof typeof lists,
  text: string,
  place: number,
  named: readonly Substance[],
): SafetyFinding[] {
  const understood = understand(data, text);
  if (isUnderstood(withStrangers(understood, named))) return [];
  const { name, exception_id } = lists[list];
  const { substances, did_you_mean, doubtful, strange } = understood;
  const key = `unknown_drug ${list} ${markOf(medicalWords(text) || text)}`;
  if (did_you_mean.length > 0 && strange.length === 0) {
    const message = sentences.misspelled(name, place, shown(did_you_mean));
    // Only one name is a typing error away, and the order was checked against it. The pharmacist sees it in the review.
    const severity = doubtful ? "major" : "moderate";
    return [finding(data, exception_id, null, { key, message, advice: advices.entry }, severity)];
  }
  const message =
    substances.length > 0 ? sentences.partly(name, place, shown(substances)) : sentences.entry(name, place);
  return [finding(data, exception_id, null, { key, message, advice: advices.entry })];
}

function withStrangers(understood: Understood, named: readonly Substance[]): Understood {
  if (named.length === 0) return understood;
  const words = new Set(named.flatMap(({ name }) => name.split(" ")));
  return {
    ...understood,
    substances: [...understood.substances, ...named],
    strange: understood.strange.filter((word) => !words.has(word)),
  };
}

function finding(
  { version }: SafetyData,
  exception_id: 74 | 75,
  item_id: number | null,
  said: { key: string; message: string; advice: string },
  severity: "major" | "moderate" = "major",
) {
  return {
    kind: "unknown_drug" as const,
    severity,
    exception_id: holdBy(exception_id, severity),
    item_id,
    ...said,
    source: OWN_RULE,
    version,
  };
}

const shown = (substances: readonly Substance[]): string => substances.map((one) => one.shown).join(" and ");

/**
 * Tells entries apart without repeating them: an override covers the entry that the pharmacist read, and no other one
 * at its place. FNV-1a, 32 bits.
 */
function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
