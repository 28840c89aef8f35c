import { randomBytes, type ScryptOptions, scrypt, scryptSync, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const scryptLater = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** OWASP's minimum for scrypt: N = 2^17, r = 8, p = 1, which takes 128 MiB. Version 0.1.0 used 2^15. */
export const PASSWORD_COST = 17;
const optionsOf = (N: number, r: number, p: number): ScryptOptions => ({ N, r, p, maxmem: 2 * 128 * N * r });

/** Hashes on the main thread, for a command. `cost` is the logarithm of scrypt's N. */
export function hashPassword(password: string, cost: number = PASSWORD_COST): string {
  const salt = randomBytes(16);
  return stored(cost, salt, scryptSync(password.normalize("NFKC"), salt, 32, optionsOf(2 ** cost, 8, 1)));
}

/** The same off the main thread, for a process that serves requests at the same time. */
export async function hashPasswordAside(password: string, cost: number): Promise<string> {
  const salt = randomBytes(16);
  return stored(cost, salt, await scryptLater(password.normalize("NFKC"), salt, 32, optionsOf(2 ** cost, 8, 1)));
}

const stored = (cost: number, salt: Buffer, key: Buffer) =>
  `scrypt$${2 ** cost}$8$1$${salt.toString("base64url")}$${key.toString("base64url")}`;

/** Hashes with the parameters of the stored hash, off the main thread. */
export async function passwordMatches(password: string, kept: string): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = kept.split("$");
  const expected = Buffer.from(key, "base64url");
  const options = optionsOf(Number(N), Number(r), Number(p));
  const given = await scryptLater(password.normalize("NFKC"), Buffer.from(salt, "base64url"), expected.length, options);
  return timingSafeEqual(given, expected);
}

/** Whether a hash was made with a lower cost. */
export const isCheaper = (kept: string, cost: number): boolean => Number(kept.split("$")[1]) < 2 ** cost;
