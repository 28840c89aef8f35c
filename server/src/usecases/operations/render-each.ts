import { createHash } from "node:crypto";

/** Works on no more than this without giving other requests a turn. */
const SLICE_BYTES = 64 * 1024;

/**
 * A text that grows record by record, up to a size, and lets other requests run in between. At least one record fits. The
 * text is encoded and hashed slice by slice, because a mebibyte at once would take milliseconds.
 */
export async function renderPage<Entry>(
  head: string,
  records: readonly Entry[],
  most_bytes: number,
  textOf: (record: Entry) => string = JSON.stringify,
): Promise<{ count: number; end(tail: string): { bytes: Buffer; hash: string } }> {
  const hashed = createHash("sha256");
  const parts: Buffer[] = [];
  let text = head;
  const encode = () => {
    const part = Buffer.from(text);
    hashed.update(part);
    parts.push(part);
    text = "";
  };
  const worked = sliceCounter();
  let count = 0;
  let bytes = 0;
  for (const record of records) {
    const rendered = textOf(record);
    const size = Buffer.byteLength(rendered) + 1;
    if (count > 0 && bytes + size > most_bytes) break;
    text += count === 0 ? rendered : `,${rendered}`;
    count += 1;
    bytes += size;
    const turn = worked(size);
    if (turn === undefined) continue;
    encode();
    await turn;
  }
  return {
    count,
    end(tail) {
      text += tail;
      encode();
      return { bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts), hash: hashed.digest("hex") };
    },
  };
}

/** Renders records one by one, and lets other requests run in between. */
export const renderEach = <Entry>(
  records: readonly Entry[],
  textOf: (record: Entry) => string = JSON.stringify,
): Promise<string[]> => {
  let bytes = 0;
  const render = (record: Entry) => {
    const text = textOf(record);
    bytes = Buffer.byteLength(text);
    return text;
  };
  return convertEach(records, render, () => bytes);
};

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
    const turn = worked(bytesOf(record));
    if (turn !== undefined) await turn;
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
