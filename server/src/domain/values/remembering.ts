import { BoundedMap } from "./bounded-map.ts";

/** Remembers the recent results of a pure function of one text, because the same directions and product names recur. */
export function remembering<Value>(find: (text: string) => Value): (text: string) => Value {
  const recent = new BoundedMap<{ value: Value }>({
    entries: 1_000,
    bytes: 4 * 1024 * 1024,
    bytesOf: () => RESULT_BYTES,
  });
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known.value;
    const value = find(text);
    recent.set(text, { value });
    return value;
  };
}

/** A parsed sig or strength. */
const RESULT_BYTES = 1_000;
