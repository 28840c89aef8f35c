import { locale } from "./language.ts";

/** "2,000", as the person's language writes it. */
export const numberText = (value: number): string => value.toLocaleString(locale);
