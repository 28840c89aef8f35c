import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { WrongUsage } from "../errors.ts";

/** A position in the feed: the cursor of the page, and the events on it that are done. */
export type Bookmark = {
  /** Where the page begins; null before the first page. */
  readonly cursor: string | null;
  isDone(event_id: string): boolean;
  done(event_id: string): void;
  /** Moves to the next page, which begins at this cursor. */
  turn(cursor: string): void;
};
type Kept = { client_id: string; cursor: string | null; done: string[] };

/** Without a file, the position is lost when the command ends. */
export function openBookmark(file: string | undefined, client_id: string): Bookmark {
  const kept = file !== undefined && existsSync(file) ? readKept(file) : { client_id, cursor: null, done: [] };
  if (kept.client_id.split("-")[0] !== client_id.split("-")[0]) {
    throw new WrongUsage("--cursor-file belongs to another account. Give another file.");
  }
  const state: Kept = { ...kept, client_id };
  const save = () => {
    if (file === undefined) return;
    // Written atomically: a truncated file would restart the feed.
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
    // Refused below, like any file in another format.
  }
  throw new WrongUsage("--cursor-file was not written by `pestle listen`. Give another file.");
}
