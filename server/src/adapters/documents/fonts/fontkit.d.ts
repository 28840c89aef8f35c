/** The part of the library that we use; it has no types of its own. */
declare module "fontkit" {
  export type Font = {
    readonly ascent: number;
    readonly descent: number;
    readonly unitsPerEm: number;
    readonly characterSet: readonly number[];
    getVariation(settings: Readonly<Record<string, number>>): Font;
    hasGlyphForCodePoint(code_point: number): boolean;
    glyphForCodePoint(code_point: number): OutlinedGlyph;
    getGlyph(id: number): OutlinedGlyph;
    layout(text: string, features?: readonly string[]): { glyphs: readonly Glyph[] };
  };
  type Glyph = { readonly id: number; readonly advanceWidth: number; readonly codePoints: readonly number[] };
  type OutlinedGlyph = Glyph & {
    readonly path: { readonly commands: readonly { command: string; args: readonly number[] }[] };
  };
  export function create(file: Uint8Array): Font;
}
