import { numberText } from "./words/number-text.ts";
import { sayName } from "./words/say.tsx";

/** "1 order", "2,000 orders". The words must be literals: `npm run docs` collects them as `{count} order`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  sayName(`{count} ${count === 1 ? one : many}`).replace("{count}", numberText(count));
