/**
 * The format of every webhook body: one line, ASCII only. Escapes `! ' ( ) * ~` like non-ASCII characters, because form
 * encoders of different languages disagree on exactly these six. Without them, all compute the same `base`.
 */
export const compactAsciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\x20-\x7e]|[!'()*~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
