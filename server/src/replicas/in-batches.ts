type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void };

/**
 * Runs `work` for many callers at once. One run is under way at a time, and a caller gets the result of a run that began after
 * it asked.
 */
export function inBatches<Item, Result>(
  most: number,
  work: (items: Item[]) => Promise<Result>,
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const result = await work(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve(result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running = false;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!running) void run();
    });
}
