import type { AmountRange, DailyDose } from "@pestle/contract";
import { amountPerDay, type DirectedItem } from "./dose-findings.ts";
import { unitsPerDay } from "./sig-findings.ts";

/** What the directions of an item add up to per day, for the pharmacist; null for an item without directions. */
export function dailyDose(item: DirectedItem): DailyDose | null {
  const { sig, substances } = item;
  if (sig === null) return null;
  if (!sig.parsed) return { read: false, why: sig.why };
  return {
    read: true,
    per_day: range(sig.amount_per_day),
    unit: sig.unit,
    doses_per_day: range(sig.doses_per_day),
    as_needed: sig.prn,
    ingredients: substances.flatMap((one) => {
      const [least, most] = [amountPerDay(item, one, "min"), amountPerDay(item, one, "max")];
      return least === null || most === null
        ? []
        : [{ name: one.shown, unit: most.unit, ...range({ min: least.value, max: most.value }) }];
    }),
    lasts_days: lastsDays(item),
  };
}

/** A taper takes another amount each day, so it does not last for units divided by amount. */
function lastsDays(item: DirectedItem): AmountRange | null {
  const { sig, ordered_units } = item;
  if (sig === null || !sig.parsed || sig.steps.length !== 1 || ordered_units === undefined) return null;
  const per_day = unitsPerDay(item, sig);
  if (per_day === null || per_day.min <= 0) return null;
  return { min: Math.floor(ordered_units / per_day.max), max: Math.floor(ordered_units / per_day.min) };
}

const range = ({ min, max }: AmountRange): AmountRange => ({ min: rounded(min), max: rounded(max) });
const rounded = (value: number) => Math.round(value * 1000) / 1000;
