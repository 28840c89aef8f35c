/** The file format of TrueType: its tables, and the outlines in one of them. */

/** A point of an outline. Others than those on the curve bend it. */
export type Point = { x: number; y: number; on_curve: boolean };
export type Box = { x_min: number; y_min: number; x_max: number; y_max: number };

const HEADER = 12;
const ENTRY = 16;

export function sfntFile(tables: ReadonlyMap<string, Buffer>): Buffer {
  const sorted = [...tables].sort(([a], [b]) => (a < b ? -1 : 1));
  const header = Buffer.alloc(HEADER + ENTRY * sorted.length);
  header.writeUInt32BE(0x0001_0000, 0);
  header.writeUInt16BE(sorted.length, 4);
  let offset = header.length;
  const parts: Buffer[] = [header];
  sorted.forEach(([tag, data], index) => {
    const at = HEADER + ENTRY * index;
    const full = padded(data);
    header.write(tag, at, "latin1");
    header.writeUInt32BE(checksum(full), at + 4);
    header.writeUInt32BE(offset, at + 8);
    header.writeUInt32BE(data.length, at + 12);
    parts.push(full);
    offset += full.length;
  });
  return Buffer.concat(parts);
}

function checksum(table: Buffer): number {
  let sum = 0;
  for (let at = 0; at < table.length; at += 4) sum = (sum + table.readUInt32BE(at)) >>> 0;
  return sum;
}

/** The table of outlines and the table of their offsets, which have four bytes each. */
export function outlineTables(glyphs: readonly Buffer[]): { glyf: Buffer; loca: Buffer } {
  const loca = Buffer.alloc(4 * (glyphs.length + 1));
  let end = 0;
  glyphs.forEach(({ length }, index) => {
    end += length;
    loca.writeUInt32BE(end, 4 * (index + 1));
  });
  return { glyf: Buffer.concat(glyphs), loca };
}

const ON_CURVE = 0x01;
const SHORT_X = 0x02;
const SHORT_Y = 0x04;
const SAME_OR_POSITIVE_X = 0x10;
const SAME_OR_POSITIVE_Y = 0x20;

/** Contours of whole coordinates, without instructions for small screens. No contours give no bytes, as the format asks. */
export function outline(contours: readonly (readonly Point[])[]): { bytes: Buffer; box: Box } {
  const [marks, xs, ys, ends]: [number[], number[], number[], number[]] = [[], [], [], []];
  const box = { x_min: 0, y_min: 0, x_max: 0, y_max: 0 };
  let [x, y] = [0, 0];
  for (const points of contours) {
    for (const point of points) {
      const mark_x = pushCoordinate(xs, point.x - x, SHORT_X, SAME_OR_POSITIVE_X);
      const mark_y = pushCoordinate(ys, point.y - y, SHORT_Y, SAME_OR_POSITIVE_Y);
      ({ x, y } = point);
      const first = marks.length === 0;
      box.x_min = first ? x : Math.min(box.x_min, x);
      box.y_min = first ? y : Math.min(box.y_min, y);
      box.x_max = first ? x : Math.max(box.x_max, x);
      box.y_max = first ? y : Math.max(box.y_max, y);
      marks.push((point.on_curve ? ON_CURVE : 0) | mark_x | mark_y);
    }
    ends.push(marks.length - 1);
  }
  if (contours.length === 0) return { bytes: Buffer.alloc(0), box };
  const head = words(contours.length, box.x_min, box.y_min, box.x_max, box.y_max, ...ends, 0);
  return { bytes: padded(Buffer.concat([head, Buffer.from([...marks, ...xs, ...ys])])), box };
}

/** Appends no, one or two bytes and returns the flags that say which. */
function pushCoordinate(bytes: number[], step: number, short: number, same_or_positive: number): number {
  if (step === 0) return same_or_positive;
  if (Math.abs(step) > 255) {
    bytes.push((step >> 8) & 255, step & 255);
    return 0;
  }
  bytes.push(Math.abs(step));
  return short | (step > 0 ? same_or_positive : 0);
}

export const padded = (bytes: Buffer): Buffer =>
  bytes.length % 4 === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(4 - (bytes.length % 4))]);

/** Numbers of two bytes, with or without a sign. */
export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, index) => {
    bytes.writeUInt16BE(value & 0xffff, 2 * index);
  });
  return bytes;
}
