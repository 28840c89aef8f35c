/**
 * Whether an answer matches the one on a page. Values that vary between runs (ids, times, secrets) only need the same
 * kind; `…` matches anything; an answer may have more fields than shown, and a list more entries.
 */
export function unlikeShown(shown: unknown, got: unknown, at = "$"): string[] {
  // A cursor is opaque to callers.
  if (/cursor$/.test(at) && typeof shown === "string" && typeof got === "string") return [];
  if (typeof shown === "string" && typeof got === "string") return sameKind(shown, got) ? [] : [`${at}: ${got}`];
  if (typeof shown === "number" && typeof got === "number") {
    return shown === got || (Number.isInteger(got) && Math.min(shown, got) >= FIRST_ID) ? [] : [`${at}: ${got}`];
  }
  if (shown === "…") return [];
  if (Array.isArray(shown)) {
    if (!Array.isArray(got) || (shown.length === 0 && got.length > 0)) return [`${at}: ${JSON.stringify(got)}`];
    return shown.flatMap((entry, index) => unlikeShown(entry, got[index], `${at}[${index}]`));
  }
  if (shown !== null && typeof shown === "object" && got !== null && typeof got === "object") {
    return Object.entries(shown).flatMap(([name, value]) =>
      unlikeShown(value, (got as Record<string, unknown>)[name], `${at}.${name}`),
    );
  }
  return Object.is(shown, got) ? [] : [`${at}: ${JSON.stringify(got)}`];
}

/** The lines that a page shows and the output lacks, in this order. */
export function linesNotShown(shown: string, got: string): string[] {
  const lines = got.split("\n");
  let from = 0;
  return shown
    .split("\n")
    .filter((line) => line.trim() !== "")
    .filter((line) => {
      const at = lines.findIndex((other, index) => index >= from && sameLine(line, other));
      if (at >= 0) from = at + 1;
      return at < 0;
    });
}

/** Numbers from here on are ids: counts, sizes and cents in the examples are smaller. */
const FIRST_ID = 100_000;
const kinds = [
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z$/,
  /^\d{4}-\d\d-\d\d$/,
  /^\d{4}-\d\d$/,
  /^\d\d:\d\d(:\d\d)?Z?$/,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  /^[0-9a-f]{32}$/,
  /^[0-9A-Z]{10}$/,
  /^[0-9a-z]{12}$/,
  /^[0-9a-z]{12}-[0-9a-z]{8}$/,
  /^whsec_[\w+/=-]+$/,
  /^[\w-]{43}=?$/,
  /^\d{6,}$/,
];

/** Of the same kind if the shown text has a digit: a word of the same length is not an id. */
function sameKind(shown: string, got: string): boolean {
  if (shown === got || shown === "…") return true;
  if (shown.endsWith("…")) return true;
  if (!/\d/.test(shown)) return false;
  const kind = kinds.find((one) => one.test(shown));
  return kind?.test(got) ?? false;
}

function sameLine(shown: string, got: string): boolean {
  const [wanted, found] = [shown, got].map((line) => line.trim().split(/\s+/));
  const end = wanted!.indexOf("…");
  if (end === -1 ? wanted!.length !== found!.length : found!.length < end) return false;
  return wanted!.slice(0, end === -1 ? undefined : end).every((word, index) => {
    const other = found![index]!;
    const [bare, otherBare] = [word, other].map((one) => one.replace(/[.,:;()"]+$/g, ""));
    const durations =
      /^(ms|s|minutes?|bytes)\b/.test(wanted![index + 1] ?? "") && /^\d+$/.test(word) && /^\d+$/.test(other);
    return durations || sameKind(bare!, otherBare!);
  });
}
