import { WrongUsage } from "./errors.ts";

export function wholeNumber(text: string, option: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new WrongUsage(`${option} takes a whole number.`);
  return Number(text);
}
