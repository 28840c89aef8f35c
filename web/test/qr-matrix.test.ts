import { createRequire } from "node:module";
import fc from "fast-check";
import { expect, test } from "vitest";
import { qrMatrix } from "../src/ui/display/qr-matrix.ts";

type Raw = { pixs: ArrayLike<number>; pixx: number; pixy: number };
const bwip = createRequire(new URL("../../server/package.json", import.meta.url))("bwip-js") as {
  raw: (encoder: string, text: string, options: string) => Raw[];
};

/** Another encoder's modules with the same mask. Encoders may pick different masks, so force ours. */
function other(text: string, matrix: boolean[][]): boolean[][] {
  const version = (matrix.length - 17) / 4;
  // Bits 12 to 10 of the format information, XORed with its mask 101.
  const mask = [2, 3, 4].reduce((bits, x) => bits * 2 + Number(matrix[8]![x]), 0) ^ 0b101;
  const [{ pixs, pixx, pixy }] = bwip.raw(
    "qrcode",
    text,
    `eclevel=M fixedeclevel version=${version} mask=${mask + 1}`,
  ) as [Raw];
  return Array.from({ length: pixy }, (_, y) => Array.from({ length: pixx }, (_, x) => pixs[y * pixx + x] === 1));
}

const shown = (matrix: boolean[][]) => matrix.map((row) => row.map((dark) => (dark ? "#" : ".")).join("")).join("\n");

test("matches another encoder module by module, in every version", () => {
  const address = (length: number) => `otpauth://totp/${"a~".repeat(length)}?secret=${"b~".repeat(8)}`;
  const sizes = new Set<number>();
  for (let length = 0; length < 310; length += 11) {
    const matrix = qrMatrix(address(length));
    sizes.add(matrix.length);
    expect(shown(matrix)).toBe(shown(other(address(length), matrix)));
  }
  expect(sizes.size).toBeGreaterThan(15);
});

test("draws any text that fits as a square with three finder patterns", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (text) => {
      const matrix = qrMatrix(text);
      expect(matrix.every((row) => row.length === matrix.length)).toBe(true);
      expect([matrix[0]![0], matrix[0]!.at(-1), matrix.at(-1)![0]]).toEqual([true, true, true]);
    }),
    { numRuns: 30 },
  );
});
