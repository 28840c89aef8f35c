/** Works on no more than this without giving other requests a turn. */
const SLICE_BYTES = 64 * 1024;

/** Renders records one by one, up to a size, and lets other requests run in between. At least one is rendered. */
export async function renderEach<Entry>(
  records: readonly Entry[],
  most_bytes = Number.POSITIVE_INFINITY,
  textOf: (record: Entry) => string = JSON.stringify,
): Promise<string[]> {
  const texts: string[] = [];
  const worked = sliceCounter();
  let bytes = 0;
  for (const record of records) {
    const text = textOf(record);
    const size = Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes + size > most_bytes) break;
    texts.push(text);
    bytes += size;
    await worked(size);
  }
  return texts;
}

/** Converts records one by one, and lets other requests run in between. `bytesOf` says how much work a record is. */
export async function convertEach<Entry, Result>(
  records: readonly Entry[],
  convert: (record: Entry) => Result,
  bytesOf: (record: Entry) => number,
): Promise<Result[]> {
  const results: Result[] = [];
  const worked = sliceCounter();
  for (const record of records) {
    results.push(convert(record));
    await worked(bytesOf(record));
  }
  return results;
}

/** Counts the bytes of some work, and waits for the next turn after each slice. */
function sliceCounter(): (bytes: number) => Promise<void> | undefined {
  let slice = 0;
  return (bytes) => {
    slice += bytes;
    if (slice < SLICE_BYTES) return undefined;
    slice = 0;
    return nextTurn();
  };
}

let turns: Promise<void> = Promise.resolve();

/** One slice of all large answers in each turn of the event loop, so that many of them delay a small request only once. */
function nextTurn(): Promise<void> {
  turns = turns.then(() => new Promise((resolve) => setImmediate(resolve)));
  return turns;
}
