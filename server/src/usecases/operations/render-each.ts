/** Serializes no more than this without giving other requests a turn. */
const SLICE_BYTES = 256 * 1024;

/** Renders records one by one, up to a size, and lets other requests run in between. At least one is rendered. */
export async function renderEach<Entry>(
  records: readonly Entry[],
  most_bytes = Number.POSITIVE_INFINITY,
  textOf: (record: Entry) => string = JSON.stringify,
): Promise<string[]> {
  const texts: string[] = [];
  let bytes = 0;
  let slice = 0;
  for (const record of records) {
    const text = textOf(record);
    const size = Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes + size > most_bytes) break;
    texts.push(text);
    bytes += size;
    slice += size;
    if (slice < SLICE_BYTES) continue;
    slice = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return texts;
}
