import { locale } from "./words/language.ts";

/** Formats `1234` cents as `$12.34`. */
export const moneyText = (cents: number, currency = "USD"): string =>
  new Intl.NumberFormat(locale ?? "en-US", { style: "currency", currency }).format(cents / 100);
