import type { SafetyLists } from "@pestle/contract";
import { type AssessedOrder, orderFindings, type SafetyState, settled } from "./assess-safety.ts";
import type { SafetyFinding } from "./finding.ts";

/** The same person as another partner knows them. */
export type PersonElsewhere = {
  /** The partner's name, for the pharmacist. */
  partner: string;
  patient_safety: SafetyLists;
  fills: AssessedOrder["fills"];
};

/** What is known from other partners: their facts, or the findings that were made from them before. */
export type Elsewhere = { people: readonly PersonElsewhere[] } | { found: readonly SafetyFinding[] };

/**
 * Findings that rest on other partners' data, beyond the order's own. The pharmacist sees them with the partner's name. They
 * all raise 75, because another number would tell the ordering partner something about the other.
 */
export function elsewhereFindings(
  safety: SafetyState,
  order: AssessedOrder,
  own: readonly SafetyFinding[],
  elsewhere: Elsewhere,
): SafetyFinding[] {
  if ("found" in elsewhere) {
    const items = new Set(order.items.map(({ item_id }) => item_id));
    return elsewhere.found.filter(({ item_id }) => item_id === null || items.has(item_id));
  }
  const { people } = elsewhere;
  if (people.length === 0 || "unfit" in safety) return [];
  const known = new Set(own.map(same));
  const marked = (partners: string[], findings: readonly SafetyFinding[]) =>
    findings
      .filter((finding) => !known.has(same(finding)))
      .map((finding) => ({
        ...finding,
        key: `elsewhere ${finding.key}`,
        exception_id: finding.exception_id === null ? null : (75 as const),
        elsewhere: partners,
      }));
  const each = people.flatMap(({ partner, patient_safety, fills }) =>
    marked([partner], orderFindings(safety, { ...order, patient_safety, fills: namedFills(partner, fills) })),
  );
  // Together, because refills add up, and some drugs are dangerous only in threes.
  const all = people.flatMap(({ partner, fills }) => namedFills(partner, fills));
  const partners = [...new Set(people.map(({ partner }) => partner))];
  const together = orderFindings(safety, { ...order, fills: [...order.fills, ...all] });
  return settled([...each, ...marked(partners, together).filter((one) => !each.some((other) => isSame(one, other)))]);
}

const same = ({ item_id, message }: SafetyFinding) => `${item_id} ${message}`;
const isSame = (one: SafetyFinding, other: SafetyFinding) =>
  one.key === other.key && one.item_id === other.item_id && one.severity === other.severity;

/** Order numbers of different partners can be equal, and so can their prescriptions' numbers. */
const namedFills = (partner: string, fills: PersonElsewhere["fills"]): PersonElsewhere["fills"] =>
  fills.map((fill) => ({ ...fill, order_number: `${fill.order_number} of ${partner}`, prescription_id: null }));

/** Whether an exception rests on other partners' data alone. */
export function isElsewhere(findings: readonly SafetyFinding[], id: number): boolean {
  const causes = findings.filter(({ exception_id }) => exception_id === id);
  return causes.length > 0 && causes.every(({ elsewhere }) => elsewhere !== undefined);
}
