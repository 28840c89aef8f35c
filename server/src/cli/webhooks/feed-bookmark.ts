import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { WrongUsage } from "../errors.ts";

/** How far somebody came in the feed: the cursor of the page, and which of its events are done. */
export type Bookmark = {
  /** Where the page begins; null where nobody was yet. */
  readonly cursor: string | null;
  isDone(event_id: string): boolean;
  done(event_id: string): void;
  /** The page is done, and this is where the next one begins. */
  turn(cursor: string): void;
};
type Kept = { client_id: string; cursor: string | null; done: string[] };

/** Without a file it is forgotten at the end. */
export function openBookmark(file: string | undefined, client_id: string): Bookmark {
  const kept = file !== undefined && existsSync(file) ? readKept(file) : { client_id, cursor: null, done: [] };
  if (kept.client_id.split("-")[0] !== client_id.split("-")[0]) {
    throw new WrongUsage("--cursor-file is another account's. Name another file.");
  }
  const state: Kept = { ...kept, client_id };
  const save = () => {
    if (file === undefined) return;
    // Whole or not at all: half a file would begin the feed anew.
    writeFileSync(`${file}.new`, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  return {
    cursor: kept.cursor,
    isDone: (event_id) => state.done.includes(event_id),
    done(event_id) {
      state.done.push(event_id);
      save();
    },
    turn(cursor) {
      if (cursor === state.cursor) return;
      state.cursor = cursor;
      state.done = [];
      save();
    },
  };
}

function readKept(file: string): Kept {
  try {
    const { client_id, cursor, done } = JSON.parse(readFileSync(file, "utf8")) as Partial<Kept>;
    if (typeof client_id === "string" && (cursor === null || typeof cursor === "string") && Array.isArray(done)) {
      return { client_id, cursor, done };
    }
  } catch {
    // Told below, as any other file that is none of ours.
  }
  throw new WrongUsage("--cursor-file is not one that `pestle listen` wrote. Name another file.");
}
