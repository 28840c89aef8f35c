import type { ReadIngredient } from "../../domain/catalogue/plan-import.ts";
import type { SafetyState } from "../../domain/safety/assess-safety.ts";
import { readIngredient } from "../../domain/safety/texts/understand.ts";

/** How an import reads ingredients. Unusable tables hold every order anyway, so there is nothing to warn about. */
export function ingredientReader(safety: SafetyState): ReadIngredient | undefined {
  if ("unfit" in safety) return undefined;
  return (ingredient) => {
    const { substances, known, did_you_mean } = readIngredient(safety.data, ingredient);
    return {
      names: substances.map(({ name }) => name),
      known,
      did_you_mean: did_you_mean.map(({ shown }) => shown),
    };
  };
}
