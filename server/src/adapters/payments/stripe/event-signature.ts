import { createHmac, timingSafeEqual } from "node:crypto";

/** Older messages are replays. */
const TOLERANCE_S = 300;
const MOST_PARTS = 20;

/**
 * Whether Stripe signed the body: `t=<seconds>,v1=<hex>`, an HMAC over time and body. During a rotation of the secret
 * there are several signatures, and one is enough.
 */
export function isSigned(body: Buffer, header: string | undefined, secret: string, now: Date): boolean {
  if (header === undefined || secret === "") return false;
  const parts = header.split(",", MOST_PARTS).map((part) => part.trim().split("=", 2) as [string, string?]);
  const time = parts.find(([name]) => name === "t")?.[1];
  if (time === undefined || !/^\d{1,12}$/.test(time)) return false;
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
  // Compares every signature, so that the time tells nothing about which one fits.
  const fits = parts.filter(([name, value]) => name === "v1" && equal(expected, value ?? "")).length > 0;
  return fits && Math.abs(now.getTime() / 1000 - Number(time)) <= TOLERANCE_S;
}

function equal(expected: Buffer, hex: string): boolean {
  const given = /^[0-9a-f]{64}$/.test(hex) ? Buffer.from(hex, "hex") : Buffer.alloc(expected.length);
  return timingSafeEqual(expected, given);
}
