import { medicalWords } from "../values/text.ts";
import type { CheckedItem } from "./checked-order.ts";
import type { SafetyData, Substance } from "./data.ts";
import { advices, holdBy, OWN_RULE, type SafetyFinding, sentences } from "./finding.ts";
import { appliesAt } from "./patient-findings.ts";
import { rowsFor } from "./patient-rules.ts";
import { severities } from "./rows.ts";
import type { SafetyPatient } from "./safety-facts.ts";
import type { Sig } from "./texts/sig.ts";
import { amountOf, isLocal, readStrength } from "./texts/strength.ts";

/** An item with its directions, read once for all checks. */
export type DirectedItem = CheckedItem & { readonly sig: Sig | null };

/** Finds drugs for once a week that the directions give more often. */
export function weeklyFindings(data: SafetyData, items: readonly DirectedItem[]): SafetyFinding[] {
  return items.flatMap((item) =>
    item.substances.flatMap((one) =>
      rowsFor(data.patient_rules.weekly_drugs, one).flatMap((row): SafetyFinding[] => {
        const { sig, drug, item_id } = item;
        if (sig === null || !hasWord(drug, row.words) || row.except_words.some((word) => hasWord(drug, [word])))
          return [];
        if (sig.parsed && row.except_words.includes(sig.unit)) return [];
        const amount = strengthOf(item, one)?.value;
        if (row.strengths.length > 0 && (amount === undefined || !row.strengths.includes(amount))) return [];
        const often = sig.doses_per_day;
        const shared = { item_id, version: data.version, source: data.citationOf(row), advice: row.advice };
        if (often === null) {
          return [
            {
              ...shared,
              kind: "sig",
              severity: "moderate",
              exception_id: null,
              key: `sig ${one.name} unread`,
              message: sentences.sig_unread_weekly(one.shown),
            },
          ];
        }
        // Half a dose more allows for "every 6 days" and rounding.
        if (often.max * 7 <= row.most_per_week * MOST_DEVIATION) return [];
        return [
          {
            ...shared,
            kind: "dose",
            severity: row.severity,
            exception_id: holdBy(75, row.severity),
            key: `dose ${one.name} weekly`,
            message: sentences.weekly(one.shown, row.most_per_week, row.reason),
          },
        ];
      }),
    ),
  );
}

const MOST_DEVIATION = 1.2;

/** Finds daily amounts above the label's maximum. Items with the same ingredient count together. */
export function doseFindings(
  data: SafetyData,
  items: readonly DirectedItem[],
  { gender }: Pick<SafetyPatient, "gender">,
  age: number | null,
): SafetyFinding[] {
  const totals = new Map<string, number>();
  // The same directions in two items are one prescription in two packages.
  const counted = new Set<string>();
  const daily = items.flatMap((item) =>
    item.substances.flatMap((one) => {
      const amount = amountPerDay(item, one);
      if (amount === null) return [];
      const key = `${one.name} ${amount.unit}`;
      const therapy = `${key} ${item.drug} ${item.sig_text}`;
      if (!counted.has(therapy)) totals.set(key, (totals.get(key) ?? 0) + amount.value);
      counted.add(therapy);
      return [{ item, one, unit: amount.unit, key }];
    }),
  );
  return daily.flatMap(({ item, one, unit, key }) => {
    const total = totals.get(key) as number;
    const local = isLocal(item.drug);
    const rows = rowsFor(data.patient_rules.dose_limits, one)
      .filter((row) => row.unit === unit && !local && hasWord(item.drug, row.words))
      .filter((row) => appliesAt(row, age) && (row.sex === null || row.sex === gender));
    // A row for the form, the age or the sex replaces a general one that allows less. One that allows more still counts.
    const [first] = rows.sort((a, b) => narrow(b) - narrow(a) || a.max_per_day - b.max_per_day);
    const row = rows
      .filter(({ max_per_day }) => max_per_day >= first!.max_per_day && total > max_per_day * ROUNDING)
      .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || narrow(b) - narrow(a))[0];
    if (row === undefined) return [];
    return [
      {
        kind: "dose" as const,
        severity: row.severity,
        exception_id: holdBy(75, row.severity),
        item_id: item.item_id,
        key: `dose ${one.name} daily`,
        message: sentences.dose(one.shown, rounded(total), row.max_per_day, shownUnits[unit]),
        advice: advices.dose,
        source: data.citationOf(row),
        version: data.version,
      },
    ];
  });
}

/** Directions round a third of a tablet. */
const ROUNDING = 1.01;
const shownUnits = { mg: "mg", unit: "units", meq: "mEq" } as const;
const rounded = (value: number) => Math.round(value * 1000) / 1000;
type Narrowed = { from: number | null; below: number | null; sex: "F" | "M" | null; words: readonly string[] };
const narrow = ({ from, below, sex, words }: Narrowed) =>
  [from !== null, below !== null, sex !== null, words.length > 0].filter(Boolean).length;

/** Says that the directions of a drug with a dose limit were not readable, so that a person computes the dose. */
export function unreadSigFindings(data: SafetyData, items: readonly DirectedItem[]): SafetyFinding[] {
  return items.flatMap(({ sig, item_id, substances, sig_text }): SafetyFinding[] => {
    // Exception 69 holds blank and overlong directions already.
    if (sig === null || sig.parsed || sig.why === "blank" || sig.why === "too_long" || sig_text === null) return [];
    const one = substances.find((substance) => rowsFor(data.patient_rules.dose_limits, substance).length > 0);
    if (one === undefined) return [];
    return [
      {
        kind: "sig",
        severity: "moderate",
        exception_id: null,
        item_id,
        key: `sig ${one.name} unread`,
        message: sentences.sig_unread(one.shown),
        advice: advices.sig_unread,
        source: OWN_RULE,
        version: data.version,
      },
    ];
  });
}

/** What one day's directions add up to, in the unit of the ingredient's strength; null if either is unknown. */
export function amountPerDay(
  item: Pick<DirectedItem, "sig" | "substances" | "drug">,
  one: Substance,
  end: "min" | "max" = "max",
): { value: number; unit: "mg" | "unit" | "meq" } | null {
  const { sig, substances } = item;
  if (sig === null || !sig.parsed) return null;
  const cap = substances.length === 1 && sig.most_mg !== null ? sig.most_mg : Number.POSITIVE_INFINITY;
  const units = sig.amount_per_day[end];
  if (sig.unit === "mg" || sig.unit === "unit" || sig.unit === "meq") {
    return substances.length === 1 ? { value: Math.min(units, cap), unit: sig.unit } : null;
  }
  const strength = strengthOf(item, one);
  if (strength === null || !fits(sig.unit, strength.per.unit)) return null;
  const value = (units * strength.value) / strength.per.amount;
  return { value: strength.unit === "mg" ? Math.min(value, cap) : value, unit: strength.unit };
}

/** Whether the strength is per what the directions count. */
export const fits = (unit: string, per: "each" | "mL" | "puff" | "hour"): boolean =>
  per === "each"
    ? COUNTED.has(unit)
    : per === "mL"
      ? unit === "mL"
      : per === "puff" && (unit === "puff" || unit === "spray");

/** Units of which a package has a whole number, and one has the strength. */
export const COUNTED: ReadonlySet<string> = new Set([
  "tablet",
  "capsule",
  "lozenge",
  "film",
  "packet",
  "suppository",
  "patch",
  "each",
]);

export function strengthOf({ drug, substances }: Pick<CheckedItem, "drug" | "substances">, one: Substance) {
  const strength = readStrength(drug);
  if (strength === null) return null;
  const names = substances.map(({ name }) => name);
  const amount = amountOf(strength, drug, one.name, names);
  return amount === null ? null : { ...amount, per: strength.per };
}

/** Whether the text has one of the words; without words every text has. */
function hasWord(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const plain = ` ${medicalWords(text)} `;
  return words.some((word) => plain.includes(` ${word} `) || plain.includes(` ${word}s `));
}
