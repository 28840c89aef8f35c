/**
 * A QR code of a text (ISO/IEC 18004): bytes as UTF-8, error correction M, versions 1 to 20, the mask with the smallest
 * penalty. True is dark.
 */
export function qrMatrix(text: string): boolean[][] {
  const bytes = [...new TextEncoder().encode(text)];
  const version = VERSIONS.find((one) => dataLength(one) * 8 >= 4 + lengthBits(one) + bytes.length * 8);
  if (version === undefined) throw new Error("too long for a QR code");
  const codewords = interleaved(version, padded(version, bytes));
  const drawn = Array.from({ length: 8 }, (_, mask) => draw(version, codewords, mask));
  return drawn.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

/** For level M, starting at version 1: error correction codewords per block, and number of blocks. */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16];
const VERSIONS = BLOCKS.map((_, at) => at + 1);
const LEVEL_M = 0b00;

const sizeOf = (version: number) => version * 4 + 17;
const lengthBits = (version: number) => (version < 10 ? 8 : 16);
const dataLength = (version: number) =>
  Math.floor(modules(version) / 8) - CORRECTION[version - 1]! * BLOCKS[version - 1]!;

/** Number of modules left for data after the fixed patterns. */
function modules(version: number): number {
  const aligned = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const alignment = aligned === 0 ? 0 : (25 * aligned - 10) * aligned - 55;
  return (16 * version + 128) * version + 64 - alignment - (version >= 7 ? 36 : 0);
}

function padded(version: number, bytes: readonly number[]): number[] {
  const bits = [0, 1, 0, 0, ...bitsOf(bytes.length, lengthBits(version)), ...bytes.flatMap((byte) => bitsOf(byte, 8))];
  const room = dataLength(version) * 8;
  bits.push(...Array<number>(Math.min(4, room - bits.length)).fill(0));
  while (bits.length % 8 !== 0) bits.push(0);
  const data = Array.from({ length: bits.length / 8 }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
  for (let filler = 0xec; data.length < dataLength(version); filler ^= 0xec ^ 0x11) data.push(filler);
  return data;
}

const bitsOf = (value: number, count: number) =>
  Array.from({ length: count }, (_, at) => (value >>> (count - 1 - at)) & 1);

/** Splits the data into blocks, adds error correction to each, and interleaves them. */
function interleaved(version: number, data: readonly number[]): number[] {
  const count = BLOCKS[version - 1]!;
  const correction = CORRECTION[version - 1]!;
  const short = Math.floor(data.length / count);
  const longer = data.length % count;
  const divisor = divisorOf(correction);
  let start = 0;
  const blocks = Array.from({ length: count }, (_, at) => {
    const length = short + (at >= count - longer ? 1 : 0);
    const block = data.slice(start, start + length);
    start += length;
    return { block, check: remainder(block, divisor) };
  });
  const turn = (pick: (one: (typeof blocks)[number]) => number[], length: number) =>
    Array.from({ length }, (_, at) => blocks.flatMap((one) => pick(one)[at] ?? [])).flat();
  return [...turn(({ block }) => block, short + 1), ...turn(({ check }) => check, correction)];
}

/** Multiplication in the field of 256 elements, modulo 0x11d. */
function times(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}

function divisorOf(degree: number): number[] {
  const result = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let round = 0; round < degree; round++) {
    for (let at = 0; at < degree; at++) result[at] = times(result[at]!, root) ^ (result[at + 1] ?? 0);
    root = times(root, 2);
  }
  return result;
}

function remainder(data: readonly number[], divisor: readonly number[]): number[] {
  const result = divisor.map(() => 0);
  for (const byte of data) {
    const factor = byte ^ result.shift()!;
    result.push(0);
    divisor.forEach((one, at) => {
      result[at]! ^= times(one, factor);
    });
  }
  return result;
}

const masks: ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

function draw(version: number, codewords: readonly number[], mask: number): boolean[][] {
  const size = sizeOf(version);
  const grid: (boolean | null)[][] = Array.from({ length: size }, () => Array<boolean | null>(size).fill(null));
  const set = (x: number, y: number, dark: boolean) => {
    if (x >= 0 && y >= 0 && x < size && y < size) grid[y]![x] = dark;
  };
  for (let at = 0; at < size; at++) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    square(x, y, 4, [2, 4], set);
  const centers = alignment(version);
  const last = centers.length - 1;
  centers.forEach((x, i) => {
    centers.forEach((y, j) => {
      const corner = (i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0);
      if (!corner) square(x, y, 2, [1], set);
    });
  });
  format(size, mask, set);
  if (version >= 7) versionBits(version, size, set);

  const bits = codewords.flatMap((byte) => bitsOf(byte, 8));
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    // Skip the column of the timing pattern.
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      for (const x of [right, right - 1]) {
        const upward = ((right + 1) & 2) === 0;
        const y = upward ? size - 1 - step : step;
        if (grid[y]![x] === null) set(x, y, ((bits[next++] ?? 0) === 1) !== masks[mask]!(x, y));
      }
    }
  }
  return grid as boolean[][];
}

/** Draws rings around a center; rings listed in `light` are light. */
function square(
  cx: number,
  cy: number,
  reach: number,
  light: readonly number[],
  set: (x: number, y: number, dark: boolean) => void,
): void {
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      set(cx + dx, cy + dy, !light.includes(Math.max(Math.abs(dx), Math.abs(dy))));
    }
  }
}

function alignment(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((version * 4 + 4) / (count * 2 - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, at) => sizeOf(version) - 7 - (count - 2 - at) * step)];
}

function format(size: number, mask: number, set: (x: number, y: number, dark: boolean) => void): void {
  const data = (LEVEL_M << 3) | mask;
  let rest = data;
  for (let round = 0; round < 10; round++) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
  const bits = ((data << 10) | rest) ^ 0x5412;
  const bit = (at: number) => ((bits >>> at) & 1) === 1;
  for (let at = 0; at <= 5; at++) set(8, at, bit(at));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let at = 9; at < 15; at++) set(14 - at, 8, bit(at));
  for (let at = 0; at < 8; at++) set(size - 1 - at, 8, bit(at));
  for (let at = 8; at < 15; at++) set(8, size - 15 + at, bit(at));
  set(8, size - 8, true);
}

function versionBits(version: number, size: number, set: (x: number, y: number, dark: boolean) => void): void {
  let rest = version;
  for (let round = 0; round < 12; round++) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
  const bits = (version << 12) | rest;
  for (let at = 0; at < 18; at++) {
    const dark = ((bits >>> at) & 1) === 1;
    const [long, short] = [size - 11 + (at % 3), Math.floor(at / 3)];
    set(long, short, dark);
    set(short, long, dark);
  }
}

/** Lower is easier to scan. Penalizes runs, blocks, corner-like patterns, and an uneven share of dark modules. */
function penalty(grid: readonly boolean[][]): number {
  const size = grid.length;
  const columns = grid.map((_, x) => grid.map((row) => row[x]!));
  let sum = 0;
  for (const line of [...grid, ...columns]) {
    const text = line.map((dark) => (dark ? "1" : "0")).join("");
    for (const run of text.match(/(.)\1{4,}/g) ?? []) sum += run.length - 2;
    for (const pattern of ["10111010000", "00001011101"]) {
      for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1)) sum += 40;
    }
  }
  for (let y = 1; y < size; y++) {
    for (let x = 1; x < size; x++) {
      const dark = grid[y]![x];
      if (grid[y - 1]![x] === dark && grid[y]![x - 1] === dark && grid[y - 1]![x - 1] === dark) sum += 3;
    }
  }
  const dark = grid.flat().filter(Boolean).length;
  return sum + Math.floor(Math.abs((dark * 20) / (size * size) - 10)) * 10;
}
