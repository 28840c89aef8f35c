import type { Font } from "fontkit";
import { type Box, outline, outlineTables, type Point, sfntFile, words } from "./sfnt.ts";

/** The glyphs of a document, as pdfkit asks for them: it embeds a font with these and no others. */
type Subset = { includeGlyph(glyph: number): number; encode(): Buffer };

/**
 * Our font library cannot embed a font whose weight it has changed, and moves the marks of composed letters. So we write the
 * outlines that it computes.
 */
export function subsetOf(font: Font): Subset {
  // Every font begins with the glyph of missing characters.
  const included = new Map([[0, 0]]);
  return {
    includeGlyph(glyph) {
      const place = included.get(glyph) ?? included.size;
      included.set(glyph, place);
      return place;
    },
    encode: () => fileOf(font, [...included.keys()]),
  };
}

const MAGIC = [0x5f0f, 0x3cf5];
const VERSION = [1, 0];
const LONG_OFFSETS = 1;

function fileOf(font: Font, included: readonly number[]): Buffer {
  const glyphs = included.map((id) => {
    const { path, advanceWidth } = font.getGlyph(id);
    const contours = contoursOf(path.commands);
    return { ...outline(contours), contours, width: Math.round(advanceWidth) };
  });
  const most = (values: readonly number[]) => Math.max(0, ...values);
  const box: Box = {
    x_min: Math.min(0, ...glyphs.map(({ box: { x_min } }) => x_min)),
    y_min: Math.min(0, ...glyphs.map(({ box: { y_min } }) => y_min)),
    x_max: most(glyphs.map(({ box: { x_max } }) => x_max)),
    y_max: most(glyphs.map(({ box: { y_max } }) => y_max)),
  };
  const edges = [box.x_min, box.y_min, box.x_max, box.y_max];
  const widest = most(glyphs.map(({ width }) => width));
  const points = most(glyphs.map(({ contours }) => contours.flat().length));
  const contours = most(glyphs.map((glyph) => glyph.contours.length));
  const { ascent, descent, unitsPerEm } = font;
  return sfntFile(
    new Map(
      Object.entries({
        ...outlineTables(glyphs.map(({ bytes }) => bytes)),
        head: words(
          ...[...VERSION, ...VERSION, 0, 0, ...MAGIC, 0, unitsPerEm, 0, 0, 0, 0, 0, 0, 0, 0],
          ...[...edges, 0, 8, 2, LONG_OFFSETS, 0],
        ),
        hhea: words(
          ...[...VERSION, ascent, descent, 0, widest, box.x_min, 0, box.x_max, 1, 0, 0, 0, 0, 0, 0, 0],
          glyphs.length,
        ),
        hmtx: words(...glyphs.flatMap(({ width, box: { x_min } }) => [width, x_min])),
        maxp: words(...VERSION, glyphs.length, points, contours, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
      }),
    ),
  );
}

type Command = { command: string; args: readonly number[] };

/** From drawing commands to points. A contour ends where it begins, so its last point is left out. */
function contoursOf(commands: readonly Command[]): Point[][] {
  const contours: Point[][] = [];
  for (const { command, args } of commands) {
    const [x = 0, y = 0, to_x = 0, to_y = 0] = args.map(Math.round);
    if (command === "moveTo") contours.push([{ x, y, on_curve: true }]);
    if (command === "lineTo") contours.at(-1)!.push({ x, y, on_curve: true });
    if (command === "quadraticCurveTo") {
      contours.at(-1)!.push({ x, y, on_curve: false }, { x: to_x, y: to_y, on_curve: true });
    }
  }
  for (const contour of contours) {
    const [first, last] = [contour[0]!, contour.at(-1)!];
    if (contour.length > 1 && last.on_curve && last.x === first.x && last.y === first.y) contour.pop();
  }
  return contours;
}
