import type { QrPicture } from "@pestle/contract";

/** Widths in modules, in turn bar and space, beginning and ending with a bar. */
export type Bars = readonly number[];
/** Rows of modules; true is dark. */
export type Matrix = readonly (readonly boolean[])[];

/** For text of printable ASCII. */
export const code128 = (text: string): Promise<Bars> => bars("code128", text);

/** `(420)94103(94)001…`: a number in brackets says what follows it. */
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
 * Only what the symbol consists of: drawing it is ours, as rectangles that any printer renders sharply. The library is
 * loaded when it is first needed, so that no command waits for it that draws nothing.
 */
async function encoded(bcid: string, text: string, options: object): Promise<unknown> {
  const { default: bwipjs } = await import("bwip-js/node");
  return bwipjs.raw({ bcid, text, ...options })[0];
}
