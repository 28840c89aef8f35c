/*
 * Durations are counted in buckets, each a tenth wider than the previous one: few enough to store per hour, and fine
 * enough for percentiles within five percent.
 */

const GROWTH = 1.1;
/** Upper bound of the first bucket. */
const FINEST_MS = 0.1;
/** Beyond the longest request timeout. */
const LAST_BUCKET = 160;

export function latencyBucket(duration_ms: number): number {
  if (duration_ms <= FINEST_MS) return 0;
  return Math.min(LAST_BUCKET, Math.ceil(Math.log(duration_ms / FINEST_MS) / Math.log(GROWTH)));
}

/** Midpoint of a bucket. */
const bucketMs = (bucket: number) => FINEST_MS * GROWTH ** (bucket - 0.5);

/** The duration within which this share of the requests finished; null without requests. */
export function latencyPercentile(
  buckets: readonly { bucket: number; requests: number }[],
  share: number,
): number | null {
  const total = buckets.reduce((sum, { requests }) => sum + requests, 0);
  let within = 0;
  for (const { bucket, requests } of [...buckets].sort((a, b) => a.bucket - b.bucket)) {
    within += requests;
    if (within >= total * share && within > 0) return Math.round(bucketMs(bucket) * 100) / 100;
  }
  return null;
}
