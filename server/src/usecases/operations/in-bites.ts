/** Deletes in batches until none are left, so that no statement runs for long. Returns the total. */
export async function inBites(bite: number, remove: () => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await remove();
    total += count;
    if (count < bite) return total;
  }
}
