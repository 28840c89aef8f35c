import { medicalWords } from "../values/text.ts";
import type { Entry } from "./absorbed.ts";
import type { CheckedOrder } from "./checked-order.ts";
import type { SafetyData, Substance } from "./data.ts";
import { advices, holdBy, OWN_RULE, places, type SafetyFinding, sentences } from "./finding.ts";
import { isRefill } from "./refill-findings.ts";
import type { Severity } from "./rows.ts";

/**
 * Finds the same drug, or two drugs of a class that should be taken one at a time, in another item, in the patient's
 * current supply or among the listed medications. The class determines whether that holds the order.
 */
export function duplicateFindings(data: SafetyData, { items, taken }: CheckedOrder): SafetyFinding[] {
  const findings: SafetyFinding[] = [];
  for (const [index, item] of items.entries()) {
    for (const other of items.slice(index + 1)) {
      addDoubled(findings, data, Math.min(item.item_id, other.item_id), item, other, places.item());
    }
    for (const other of taken) {
      // The previous fill of the same drug is not a second therapy. `refillFindings` checks whether it is too early.
      const earlier_fill = other.fill?.shipped_at && isRefill(item, other);
      if (other.ended_days_ago > 0 || earlier_fill) continue;
      addDoubled(findings, data, item.item_id, item, other, other.place);
    }
  }
  return findings;
}

function addDoubled(
  findings: SafetyFinding[],
  data: SafetyData,
  item_id: number,
  item: Entry,
  other: Entry,
  place: string,
): void {
  const own = item.absorbed;
  for (const one of own) {
    for (const two of other.absorbed) {
      if (one.name === two.name) {
        // Usually one therapy in another strength, or a patient's list of what we ship. Other products are a second one.
        const same = isSameProduct(data, item, other);
        const severity = same ? "moderate" : worstDuplicate(one);
        findings.push({
          ...warning(data, "duplicate_therapy", item_id),
          severity,
          exception_id: holdBy(75, severity),
          key: `duplicate_therapy ${one.name}`,
          message: sentences.same_ingredient(one.shown, place),
          advice: same ? advices.same_drug : advices.duplicate,
          source: one.source === null ? OWN_RULE : data.citationOf({ source: one.source }),
        });
        continue;
      }
      // Ingredients of one product are combined on purpose.
      if (own.some(({ name }) => name === two.name) || has(other, one)) continue;
      const both = one.classes.filter((row) => row.duplicates !== null && two.classes.includes(row));
      const shared = both.find(({ duplicates }) => duplicates === "major") ?? both[0];
      if (shared === undefined) continue;
      // "A statin" in the list may be this very drug.
      const severity = one.is_class || two.is_class ? "moderate" : (shared.duplicates ?? "moderate");
      const [first, second] = [one, two].sort((a, b) => (a.name < b.name ? -1 : 1)) as [Substance, Substance];
      findings.push({
        ...warning(data, "duplicate_therapy", item_id),
        severity,
        exception_id: holdBy(75, severity),
        key: `duplicate_therapy ${shared.class} ${first.name} ${second.name}`,
        message: sentences.same_class(first.shown, second.shown, place, shared.name),
        advice: advices.duplicate,
        source: data.citationOf(shared),
      });
    }
  }
}

/**
 * The same ingredients, unless both texts name brands and no brand is in both: Ozempic beside Wegovy. Brands of one
 * combination, such as the many names of one contraceptive pill, replace each other.
 */
function isSameProduct({ brands, other_use }: SafetyData, item: Entry, other: Entry): boolean {
  if (item.absorbed.length !== other.absorbed.length || !item.absorbed.every((one) => has(other, one))) {
    return false;
  }
  if (item.absorbed.length > 1) return true;
  const named = (text: string | undefined) => {
    const words = ` ${medicalWords(text ?? "")} `;
    return item.absorbed.flatMap(({ name }) =>
      (brands.get(name) ?? []).filter((brand) => words.includes(` ${brand} `)),
    );
  };
  const ours = named(item.drug);
  const theirs = named(other.drug);
  if (ours.length === 0 || theirs.length === 0) return ![...ours, ...theirs].some((brand) => other_use.has(brand));
  return theirs.some((brand) => ours.includes(brand));
}

const worstDuplicate = ({ classes }: Substance): Severity =>
  classes.some(({ duplicates }) => duplicates === "major") ? "major" : "moderate";

const warning = <Kind extends SafetyFinding["kind"]>({ version }: SafetyData, kind: Kind, item_id: number) => ({
  kind,
  severity: "moderate" as const,
  exception_id: null,
  item_id,
  version,
});

const has = ({ absorbed }: Pick<Entry, "absorbed">, { name }: Substance) => absorbed.some((one) => one.name === name);
