import { locale } from "../words/language.ts";

const long = new Intl.DateTimeFormat(locale, { year: "numeric", month: "long", timeZone: "UTC" });

/** `2026-11` as `November 2026`. */
export const monthText = (month: string): string => long.format(new Date(`${month}-01T00:00:00Z`));
