import { createHmac, timingSafeEqual } from "node:crypto";

const STEP_S = 30;
const DIGITS = 6;
/** Allows for inaccurate phone clocks and slow typing. */
const STEPS_AROUND = 1;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * Verifies an authenticator code (RFC 6238 with SHA-1, six digits, 30 s, which every authenticator supports). Returns the
 * code's time step, so that the caller accepts a code only once; null if the code is wrong.
 */
export function totpStep(secret: Buffer, code: string, now: Date, last_step: number): number | null {
  if (!/^\d{6}$/.test(code)) return null;
  const present = Math.floor(now.getTime() / 1000 / STEP_S);
  for (let step = present - STEPS_AROUND; step <= present + STEPS_AROUND; step++) {
    const fits = timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code));
    if (fits && step > last_step) return step;
  }
  return null;
}

/** RFC 4226, 5.3. */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const at = digest[digest.length - 1]! & 0x0f;
  const number = digest.readUInt32BE(at) & 0x7f_ff_ff_ff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

/** The URI that an authenticator scans as a QR code. */
export function totpAddress(secret: Buffer, email: string, issuer: string): string {
  const query = new URLSearchParams({ secret: base32(secret), issuer });
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(email)}?${query}`;
}

export function base32(bytes: Buffer): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}
