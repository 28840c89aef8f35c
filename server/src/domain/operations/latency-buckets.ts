/*
 * Times are counted in buckets, each of which reaches a tenth farther than the one before: few enough to keep for every
 * hour, and fine enough that a percentile is told to within a twentieth.
 */

const GROWTH = 1.1;
/** Where the first bucket ends. */
const FINEST_MS = 0.1;
/** Reaches beyond any time that a request is given. */
const LAST_BUCKET = 160;

export function latencyBucket(duration_ms: number): number {
  if (duration_ms <= FINEST_MS) return 0;
  return Math.min(LAST_BUCKET, Math.ceil(Math.log(duration_ms / FINEST_MS) / Math.log(GROWTH)));
}

/** The middle of a bucket. */
const bucketMs = (bucket: number) => FINEST_MS * GROWTH ** (bucket - 0.5);

/** The time that so great a share of the requests stayed within; null where there were none. */
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
