const SHARE = 4;

/**
 * The number of cases in a random test: a part by default, all with TEST_EFFORT=full. The seed is the same, so the
 * part is the beginning of the whole.
 */
export const effort = (full: number): number =>
  process.env["TEST_EFFORT"] === "full" ? full : Math.ceil(full / SHARE);
