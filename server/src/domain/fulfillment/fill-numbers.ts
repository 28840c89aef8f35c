import { exact } from "../values/quantity-units.ts";

/** How a state program counts one dispensing of a prescription. */
export type FillNumber = {
  /** 0 is the original fill. */
  refill_number: number;
  /** 0: a whole fill. Else the number of this part within its fill, starting with 1. */
  partial: number;
};

/**
 * Numbers the dispensings of a prescription, oldest first. Parts of one fill share its refill number, so the rest of a
 * partial fill is never reported as a refill.
 */
export function fillNumbers(written_qty: number, refills: number, dispensed: readonly number[]): FillNumber[] {
  let before = 0;
  let part = 0;
  let last = 0;
  return dispensed.map((units, index) => {
    // A quantity of zero was never written; a pharmacist accepted it.
    if (written_qty <= 0) return { refill_number: Math.min(index, refills), partial: 0 };
    const refill_number = Math.min(Math.floor(exact(before) / written_qty), refills);
    const begun = exact(before - refill_number * written_qty);
    // A dispensing that went beyond its fill was the first part of the next one.
    part = begun === 0 ? 1 : refill_number === last ? part + 1 : 2;
    last = refill_number;
    before = exact(before + units);
    const whole = part === 1 && units >= written_qty;
    return { refill_number, partial: whole ? 0 : part };
  });
}

/**
 * The days that the dispensed units last, in whole days. The prescription's days of supply are for the quantity as
 * written, and an order can take more or less than that.
 */
export function daysOfUnits({
  days_supply,
  units,
  written_qty,
}: {
  days_supply: number | null;
  units: number;
  written_qty: number | null;
}): number | null {
  if (days_supply === null || written_qty === null || written_qty <= 0) return days_supply;
  return Math.max(1, Math.round((days_supply * units) / written_qty));
}
