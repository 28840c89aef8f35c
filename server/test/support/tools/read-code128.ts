/**
 * Bars and spaces of the 107 characters of Code 128, in modules (ISO/IEC 15417): a reader independent of our encoder.
 */
const PATTERNS = (
  "212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 " +
  "123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 " +
  "232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 " +
  "313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 " +
  "111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 " +
  "111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 " +
  "114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112"
).split(" ");
const [CODE_C, CODE_B, CODE_A, FNC1, STOP] = [99, 100, 101, 102, 106];
const STARTS: Record<number, "A" | "B" | "C"> = { 103: "A", 104: "B", 105: "C" };

/** What a scanner would return, with FNC1 as `|`. Throws if the symbol or its check character is wrong. */
export function readCode128(widths: readonly number[]): string {
  const characters: number[] = [];
  for (let at = 0; at < widths.length - 7; at += 6) characters.push(character(widths.slice(at, at + 6)));
  if (character(widths.slice(-7)) !== STOP || widths.length % 6 !== 1) throw new Error("no stop");
  const check = characters.pop();
  const [start, ...data] = characters as [number, ...number[]];
  if (data.reduce((sum, value, index) => sum + value * (index + 1), start) % 103 !== check) throw new Error("no check");
  let set = STARTS[start]!;
  let text = "";
  for (const value of data) {
    if (value === FNC1) text += "|";
    else if (value === CODE_C && set !== "C") set = "C";
    else if (value === CODE_B && set !== "B") set = "B";
    else if (value === CODE_A && set !== "A") set = "A";
    else if (set === "C") text += String(value).padStart(2, "0");
    else text += String.fromCharCode(value < 64 || set === "B" ? value + 32 : value - 64);
  }
  return text;
}

function character(widths: readonly number[]): number {
  const found = PATTERNS.indexOf(widths.join(""));
  if (found === -1) throw new Error("no such character");
  return found;
}

/** The widths in modules of adjacent bars, as drawn. */
export function widthsOf(bars: readonly { x: number; width: number }[]): number[] {
  const sorted = [...bars].sort((a, b) => a.x - b.x);
  const module = Math.min(...sorted.map(({ width }) => width));
  return sorted.flatMap(({ x, width }, index) => {
    const next = sorted[index + 1];
    const bar = Math.round(width / module);
    return next === undefined ? [bar] : [bar, Math.round((next.x - x - width) / module)];
  });
}
