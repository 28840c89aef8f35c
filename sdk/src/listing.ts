/** A paged list: iterate with `for await`; pages load as needed. */
export type Listing<Item, Page> = AsyncIterable<Item> & {
  /** Loads one page, for programs that show one page at a time. */
  firstPage(): Promise<Page>;
  pages(): AsyncGenerator<Page, void>;
  /** The first items, at most this many. */
  take(most: number): Promise<Item[]>;
};

export function listing<Item, Page extends { next_cursor: string | null }>(
  load: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): Listing<Item, Page> {
  async function* pages() {
    let page = await load(undefined);
    yield page;
    while (page.next_cursor !== null) {
      page = await load(page.next_cursor);
      yield page;
    }
  }
  async function* items() {
    for await (const page of pages()) yield* itemsOf(page);
  }
  return {
    [Symbol.asyncIterator]: items,
    pages,
    firstPage: () => load(undefined),
    async take(most) {
      const taken: Item[] = [];
      if (most <= 0) return taken;
      for await (const item of items()) if (taken.push(item) >= most) break;
      return taken;
    },
  };
}

/** A list without pages. Its answer has a next part only if it is very large. */
export async function wholeList<Item, Part extends { next_cursor?: string | undefined }>(
  load: (cursor: string | undefined) => Promise<Part>,
  itemsOf: (part: Part) => readonly Item[],
): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | undefined; ; ) {
    const part = await load(cursor);
    items.push(...itemsOf(part));
    cursor = part.next_cursor;
    if (cursor === undefined) return items;
  }
}
