import { BoundedMap } from "../../values/bounded-map.ts";

const MOST = { entries: 4_000, bytes: 4 * 1024 * 1024 };

/**
 * Remembers what a text means by some tables. One assessment reads an entry of a list in several places, every step of an
 * order reads the list again, and many patients write the same. New tables start with an empty memory. The result must
 * not be changed by its readers.
 */
export function readOnce<Tables extends object, Meaning>(
  read: (tables: Tables, text: string) => Meaning,
  bytesOf: (meaning: Meaning) => number,
): (tables: Tables, text: string) => Meaning {
  const memories = new WeakMap<Tables, BoundedMap<Meaning>>();
  return (tables, text) => {
    let known = memories.get(tables);
    if (known === undefined) {
      known = new BoundedMap({ ...MOST, bytesOf });
      memories.set(tables, known);
    }
    const before = known.get(text);
    if (before !== undefined) return before;
    const meaning = read(tables, text);
    known.set(text, meaning);
    return meaning;
  };
}
