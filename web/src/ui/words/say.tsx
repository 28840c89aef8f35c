import { Fragment, type ReactNode } from "react";
import { translation } from "./translation.ts";

/** The names in braces: `"{count} of {all}"` has `count` and `all`. */
type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Values<Text extends string, Value> = [Names<Text>] extends [never]
  ? []
  : [values: { readonly [Name in Names<Text>]: Value }];

const PLACE = /\{(\w+)\}/;
const translated = (text: string): string => translation[text] ?? text;

/**
 * A text in the person's language, by its English words. `{name}` is replaced by a value. The words must be a literal, because
 * `npm run docs` collects them from the code into web/words.
 */
export function say<Text extends string>(text: Text, ...[values]: Values<Text, string | number>): string {
  const words = translated(text);
  if (values === undefined) return words;
  const by_name: Readonly<Record<string, string | number>> = values;
  return words
    .split(PLACE)
    .map((part, index) => (index % 2 === 0 ? part : String(by_name[part])))
    .join("");
}

/** Like `say`, for values that are elements. */
export function sayWith<Text extends string>(text: Text, ...[values]: Values<Text, ReactNode>): ReactNode {
  const by_name: Readonly<Record<string, ReactNode>> = values ?? {};
  return translated(text)
    .split(PLACE)
    .map((part, index) => (index % 2 === 0 ? part : <Fragment key={part}>{by_name[part]}</Fragment>));
}

/**
 * A text that a table of the contract or an answer of the service has in English, such as the name of an exception. The
 * translation has the tables' words; it shows any other text as it is.
 */
export const sayName = (text: string): string => translated(text);
