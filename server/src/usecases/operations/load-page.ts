import { MOST_PAGE_BYTES } from "../../domain/values/page-bytes.ts";

const FIRST_ROWS = 25;
const MOST_ROWS_AT_ONCE = 100;

/**
 * Loads the rows of a page in a few steps, so that a page of large rows does not load far more than it shows: the average
 * size of the rows so far decides how many more it asks for. `load` returns rows after a row, at most as many as asked.
 */
export async function loadPage<Row>(
  limit: number,
  load: (after: Row | undefined, most: number) => Promise<readonly Row[]>,
  bytesOf: (row: Row) => number,
): Promise<{ rows: Row[]; more: boolean }> {
  const rows: Row[] = [];
  let bytes = 0;
  for (;;) {
    const fitting = rows.length === 0 ? FIRST_ROWS : Math.ceil(((MOST_PAGE_BYTES - bytes) * rows.length) / bytes);
    const most = Math.min(limit - rows.length, MOST_ROWS_AT_ONCE, fitting);
    // One extra row shows whether there is a next page.
    const loaded = await load(rows.at(-1), most + 1);
    for (const row of loaded.slice(0, most)) {
      rows.push(row);
      bytes += bytesOf(row);
    }
    const more = loaded.length > most;
    if (!more || rows.length >= limit || bytes >= MOST_PAGE_BYTES) return { rows, more };
  }
}
