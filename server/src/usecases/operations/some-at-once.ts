/** Leaves most connections of the pool to requests. */
const MOST_AT_ONCE = 3;

/**
 * Works on a few records at a time, so that neither the database nor this process waits for the other. After a failure it
 * begins no further record, and throws when those in progress have ended.
 */
export async function someAtOnce<One>(all: readonly One[], work: (one: One) => Promise<void>): Promise<void> {
  const rest = all.values();
  let failed = false;
  const lane = async () => {
    try {
      for (const one of rest) {
        if (failed) return;
        await work(one);
      }
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: MOST_AT_ONCE }, lane));
  const fault = ended.find((one) => one.status === "rejected");
  if (fault !== undefined) throw fault.reason;
}
