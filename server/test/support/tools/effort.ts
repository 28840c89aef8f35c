const SHARE = 4;

/**
 * How many cases a random test tries: a part of them by default, all of them with TEST_EFFORT=full. The seed is the
 * same, so the part is the beginning of the whole.
 */
export const effort = (full: number): number =>
  process.env["TEST_EFFORT"] === "full" ? full : Math.ceil(full / SHARE);
