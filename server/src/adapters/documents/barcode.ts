import type { QrPicture } from "@pestle/contract";

/** Widths in modules, alternating bar and space, beginning and ending with a bar. */
export type Bars = readonly number[];
/** Rows of modules; true is dark. */
export type Matrix = readonly (readonly boolean[])[];

/** For printable ASCII text. */
export const code128 = (text: string): Promise<Bars> => bars("code128", text);

/** `(420)94103(94)001…`: the number in parentheses identifies the field that follows. */
export const gs1Code128 = (text: string): Promise<Bars> => bars("gs1-128", text);

export async function qrCode(text: string): Promise<Matrix> {
  const { pixs, pixx } = (await encoded("qrcode", text, { eclevel: "M" })) as { pixs: number[]; pixx: number };
  return Array.from({ length: pixs.length / pixx }, (_, row) =>
    pixs.slice(row * pixx, (row + 1) * pixx).map((pixel) => pixel === 1),
  );
}

/** Each run of dark modules in a row is a rectangle. */
export async function qrPicture(text: string): Promise<QrPicture> {
  const matrix = await qrCode(text);
  const rows = matrix.map((row) => row.map((dark) => (dark ? "#" : " ")).join(""));
  const runs = rows.flatMap((row, y) => [...row.matchAll(/#+/g)].map(({ index, 0: run }) => ({ y, index, run })));
  const path = runs.map(({ y, index, run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`).join("");
  return { size: matrix.length, path };
}

const bars = async (kind: string, text: string): Promise<Bars> =>
  ((await encoded(kind, text, {})) as { sbs: number[] }).sbs;

/**
 * Returns only the symbol's modules; we draw them as rectangles, which every printer renders sharply. Imports the library
 * on first use, so that other commands start faster.
 */
async function encoded(bcid: string, text: string, options: object): Promise<unknown> {
  const { default: bwipjs } = await import("bwip-js/node");
  return bwipjs.raw({ bcid, text, ...options })[0];
}
