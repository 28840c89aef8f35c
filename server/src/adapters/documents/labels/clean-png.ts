import { crc32, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
/** The picture itself: header, palette, transparency, resolution, pixels. Texts, profiles and animations are left out. */
const KEPT = new Set(["IHDR", "PLTE", "tRNS", "pHYs", "IDAT", "IEND"]);
const CRITICAL = /^[A-Z]/;
/** 8 by 12 inches at 600 dpi. */
const MOST_PIXELS = 4_800 * 7_200;

/** Writes the picture's own chunks again. Undefined if a checksum, the order or a size is wrong. */
export function cleanPng(bytes: Buffer): Buffer | undefined {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) return undefined;
  const kept: { type: string; chunk: Buffer }[] = [];
  for (let at = 8; at < bytes.length; ) {
    if (at + 12 > bytes.length) return undefined;
    const length = bytes.readUInt32BE(at);
    const end = at + 12 + length;
    if (end > bytes.length) return undefined;
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return undefined;
    if (KEPT.has(type)) kept.push({ type, chunk: bytes.subarray(at, end) });
    else if (CRITICAL.test(type)) return undefined;
    at = end;
    // Bytes after the end of the picture are left out too.
    if (type === "IEND") break;
  }
  const types = kept.map(({ type }) => type);
  if (types[0] !== "IHDR" || types.at(-1) !== "IEND" || types.lastIndexOf("IHDR") !== 0) return undefined;
  if (!isPicture(kept[0]!.chunk, kept)) return undefined;
  return Buffer.concat([SIGNATURE, ...kept.map(({ chunk }) => chunk)]);
}

/** Bits of a pixel by color type. */
const CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** Checks that the pixels unpack to exactly the size in the header. */
function isPicture(header: Buffer, kept: readonly { type: string; chunk: Buffer }[]): boolean {
  if (header.length !== 12 + 13) return false;
  const [width, height] = [header.readUInt32BE(8), header.readUInt32BE(12)];
  const [depth = 0, color = 0, compression, filter, interlace] = header.subarray(16, 21);
  const channels = CHANNELS[color];
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(depth) || compression !== 0 || filter !== 0) return false;
  if (width === 0 || height === 0 || width * height > MOST_PIXELS || interlace! > 1) return false;
  const size = height * (1 + Math.ceil((width * channels * depth) / 8));
  // An interlaced picture has a few more rows.
  const most = interlace === 0 ? size : size * 2 + 64;
  const packed = kept.filter(({ type }) => type === "IDAT").map(({ chunk }) => chunk.subarray(8, -4));
  try {
    const { length } = inflateSync(Buffer.concat(packed), { maxOutputLength: most });
    return interlace === 0 ? length === size : length > 0;
  } catch {
    return false;
  }
}
