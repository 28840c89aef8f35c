/** A bucket of `burst` requests that refills at `rate_per_second`; `share` is this process's part of both. */
export type Limit = { rate_per_second: number; burst: number };
export type Bucket = { tokens: number; at_ms: number };
export type Spent = { allowed: boolean; remaining: number; full_in_s: number; retry_after_s: number };

// Sums of fractions can fall short of a whole by this much. A client that waited as long as told must not be rejected
// again.
const ROUNDING = 1e-9;

/** Takes one request from the bucket in place, because it runs on every request and must not allocate. */
export function spend(bucket: Bucket, limit: Limit, share: number, now_ms: number): Spent {
  const rate = limit.rate_per_second * share;
  // At least one: a share of a small limit must still let a request through.
  const burst = Math.max(1, limit.burst * share);
  const refilled = Math.min(burst, bucket.tokens + (Math.max(0, now_ms - bucket.at_ms) / 1000) * rate);
  const allowed = refilled >= 1 - ROUNDING;
  bucket.tokens = allowed ? Math.max(0, refilled - 1) : refilled;
  bucket.at_ms = now_ms;
  return {
    allowed,
    remaining: Math.floor(bucket.tokens),
    full_in_s: Math.ceil((burst - bucket.tokens) / rate),
    retry_after_s: allowed ? 0 : Math.max(1, Math.ceil((1 - refilled) / rate)),
  };
}

/** IETF draft format: a quota per window. A bucket holds `burst` and refills in burst / rate seconds. */
export function policyHeader(limit: Limit): string {
  return `"credential";q=${limit.burst};w=${Math.ceil(limit.burst / limit.rate_per_second)}`;
}

export function remainingHeader(remaining: number, full_in_s: number): string {
  return `"credential";r=${remaining};t=${full_in_s}`;
}
