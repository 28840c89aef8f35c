import { medicalWords } from "../values/text.ts";
import type { SafetyData, Substance } from "./data.ts";

/** A medication with the text it came from. */
export type Entry = {
  readonly substances: readonly Substance[];
  /** Those that reach the blood. */
  readonly absorbed: readonly Substance[];
  readonly drug?: string;
};

/**
 * The substances that reach the blood. A cream or a shampoo with ketoconazole does not slow the breakdown of other drugs,
 * but a patch with nitroglycerin acts on the whole body. The classes name the drugs for which the form decides.
 */
export function absorbedOf(
  data: SafetyData,
  substances: readonly Substance[],
  drug: string | undefined,
): readonly Substance[] {
  if (drug === undefined || !substances.some(isLocal) || !isTopical(data, drug)) return substances;
  return substances.filter((one) => !isLocal(one));
}

function isTopical({ rows }: SafetyData, drug: string): boolean {
  const text = ` ${medicalWords(drug)} `;
  const has = (words: string) => text.includes(` ${words} `);
  // "Soft gel capsules" are swallowed.
  return rows.words.topical_forms.some(has) && !rows.words.oral_forms.some(has);
}

const isLocal = ({ classes }: Substance) => classes.some(({ local_if_topical }) => local_if_topical);
