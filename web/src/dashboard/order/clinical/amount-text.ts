import type { AmountRange, DailyDose } from "@pestle/contract";
import { say } from "../../../ui/words/say.tsx";

/** `1 to 2`, or one number if both ends are equal. */
export const rangeText = ({ min, max }: AmountRange): string =>
  min === max ? String(max) : say("{min} to {max}", { min, max });

/** One of a unit and several, for the units that the service reads in directions. Directions that name none count doses. */
const unitNames: Readonly<Record<string, readonly [one: string, many: string]>> = {
  tablet: [say("tablet"), say("tablets")],
  capsule: [say("capsule"), say("capsules")],
  lozenge: [say("lozenge"), say("lozenges")],
  film: [say("film"), say("films")],
  packet: [say("packet"), say("packets")],
  suppository: [say("suppository"), say("suppositories")],
  patch: [say("patch"), say("patches")],
  puff: [say("puff"), say("puffs")],
  spray: [say("spray"), say("sprays")],
  drop: [say("drop"), say("drops")],
  unit: [say("unit"), say("units")],
  vial: [say("vial"), say("vials")],
  injection: [say("injection"), say("injections")],
  application: [say("application"), say("applications")],
  ring: [say("ring"), say("rings")],
  dose: [say("dose"), say("doses")],
  each: [say("dose"), say("doses")],
  meq: ["mEq", "mEq"],
};

/** `1 tablet`, `1 to 2 tablets`, `5 mL`. */
export function amountText(range: AmountRange, unit: string): string {
  const [one, many] = unitNames[unit] ?? [unit, unit];
  return `${rangeText(range)} ${range.max === 1 ? one : many}`;
}

/** `1 to 2 tablets a day (atorvastatin 20 to 40 mg), as needed` */
export function dailyText({ per_day, unit, ingredients, as_needed }: Extract<DailyDose, { read: true }>): string {
  const amounts = ingredients.map((one) => `${one.name} ${amountText(one, one.unit)}`);
  return [
    say("{amount} a day", { amount: amountText(per_day, unit) }),
    ...(amounts.length > 0 ? [` (${amounts.join(", ")})`] : []),
    ...(as_needed ? [`, ${say("as needed")}`] : []),
  ].join("");
}
