/** The limits of a map. `bytesOf` estimates a value; a key counts two bytes a character. */
export type Bounds<Value> = { entries: number; bytes: number; bytesOf: (value: Value) => number };

/** What an entry costs beside its key and its value: the slot, the wrapper and the string's header. */
const BYTES_PER_ENTRY = 120;

/**
 * A map with a limit in entries and in bytes. It drops its oldest entries when it is full, and it does not keep an entry
 * that alone exceeds the limit. Every map whose keys a caller can choose is one of these.
 */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, { value: Value; bytes: number }>();
  readonly #bounds: Bounds<Value>;
  #bytes = 0;

  constructor(bounds: Bounds<Value>) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The estimated size of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  set(key: string, value: Value): this {
    this.delete(key);
    const bytes = BYTES_PER_ENTRY + 2 * key.length + this.#bounds.bytesOf(value);
    if (bytes > this.#bounds.bytes) return this;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#bounds.entries && this.#bytes <= this.#bounds.bytes) break;
      this.delete(oldest);
    }
    return this;
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#bytes -= entry.bytes;
    return this.#entries.delete(key);
  }

  deleteWhere(matches: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#entries) if (matches(value)) this.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  *[Symbol.iterator](): IterableIterator<[string, Value]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }
}
