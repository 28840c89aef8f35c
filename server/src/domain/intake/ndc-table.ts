/** The drug of each NDC, in about 4 MB: sorted NDCs, and for each the position of its text. */
export type NdcTable = {
  readonly size: number;
  /** Takes eleven digits. null proves nothing: no list of NDCs is complete. */
  drugOf(ndc: string): string | null;
};

/** Identifies the layout. */
const MAGIC = "PNDC1";
const LONGEST_TEXT = 300;

/**
 * The file: a line with magic, number of texts and number of NDCs; one text per line; then per NDC two variable-length
 * numbers, its distance from the previous NDC and the number of its text. The caller compresses it.
 */
export function writeNdcTable(rows: readonly { ndc: string; drug: string }[]): Uint8Array {
  const known = rows.map(({ ndc, drug }) => {
    if (!/^\d{11}$/.test(ndc)) throw new Error("An NDC must have eleven digits.");
    return { ndc: Number(ndc), drug: drug.replaceAll(/\s+/g, " ").slice(0, LONGEST_TEXT) };
  });
  const texts = [...new Set(known.map(({ drug }) => drug))].sort();
  const places = new Map(texts.map((text, index) => [text, index]));
  const head = new TextEncoder().encode(`${[`${MAGIC} ${texts.length} ${known.length}`, ...texts].join("\n")}\n`);
  const gaps: number[] = [];
  const indexes: number[] = [];
  let before = 0;
  for (const { ndc, drug } of known.sort((a, b) => a.ndc - b.ndc)) {
    writeNumber(gaps, ndc - before);
    writeNumber(indexes, places.get(drug)!);
    before = ndc;
  }
  // Numbers of one kind together compress better.
  return Uint8Array.from([...head, ...gaps, ...indexes]);
}

/** Throws if the bytes are not a table. */
export function readNdcTable(bytes: Uint8Array): NdcTable {
  const decoder = new TextDecoder();
  let at = bytes.indexOf(NEW_LINE);
  const [magic, texts, ndcs] = decoder.decode(bytes.subarray(0, Math.max(0, at))).split(" ");
  if (magic !== MAGIC) throw new Error("This is not an NDC table.");
  const starts = new Uint32Array(Number(texts) + 1);
  const size = Number(ndcs);
  starts[0] = at + 1;
  for (let index = 1; index < starts.length; index++) {
    at = bytes.indexOf(NEW_LINE, starts[index - 1]);
    starts[index] = at + 1;
  }
  const keys = new Float64Array(size);
  const indexes = new (Number(texts) > 65_535 ? Uint32Array : Uint16Array)(size);
  const end = readNumbers(bytes, readNumbers(bytes, starts[starts.length - 1] as number, keys), indexes);
  if (end !== bytes.length) throw new Error(DAMAGED);
  for (let index = 1; index < size; index++) keys[index] = (keys[index] as number) + (keys[index - 1] as number);
  const lines = bytes.slice(0, starts[starts.length - 1]);
  return {
    size,
    drugOf(ndc) {
      const found = placeOf(keys, Number(ndc));
      if (found === -1) return null;
      const text = indexes[found] as number;
      return decoder.decode(lines.subarray(starts[text], (starts[text + 1] as number) - 1));
    },
  };
}

const NEW_LINE = 10;
const DAMAGED = "The NDC table is damaged.";

function placeOf(keys: Float64Array, key: number): number {
  let low = 0;
  let high = keys.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const value = keys[middle] as number;
    if (value === key) return middle;
    if (value < key) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Seven bits a byte, lowest first; the eighth says that another follows. Without bit operations, which end at 2^32. */
function writeNumber(to: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    to.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  to.push(rest);
}

/** Fills the list from this position on, and returns the position after it. One loop, because there are 440,000. */
function readNumbers(bytes: Uint8Array, from: number, list: Float64Array | Uint16Array | Uint32Array): number {
  let at = from;
  for (let index = 0; index < list.length; index++) {
    let value = 0;
    let factor = 1;
    let byte = bytes[at++] as number;
    while (byte >= 128) {
      value += (byte - 128) * factor;
      factor *= 128;
      byte = bytes[at++] as number;
    }
    if (byte === undefined) throw new Error(DAMAGED);
    list[index] = value + byte * factor;
  }
  return at;
}
