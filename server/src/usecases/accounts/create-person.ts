import { randomBytes, type ScryptOptions, scrypt, scryptSync, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { type PersonLicense, portalRoleNames, SHORTEST_PASSWORD, staffRoleNames } from "@pestle/contract";
import { insertPerson } from "../../db/accounts/people.ts";
import type { Tx } from "../../db/db.ts";
import { readLicense } from "../../domain/accounts/license.ts";
import { randomId, randomSecret } from "../../random.ts";
import { AdminRefusal } from "./admin-refusal.ts";

const scryptLater = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const MADE_CHARACTERS = 20;
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };

/** Creates a user: a staff member, or with `partner_id` a portal user of that partner. */
export async function createPerson(
  tx: Tx,
  given: {
    email: string;
    name: string;
    role: string;
    partner_id: string | null;
    password_hash: string;
  } & Partial<PersonLicense>,
  now: Date,
): Promise<string> {
  const roles: readonly string[] = given.partner_id === null ? staffRoleNames : portalRoleNames;
  if (!roles.includes(given.role)) throw new AdminRefusal(`The roles are ${roles.join(", ")}.`);
  if (!/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(given.email)) throw new AdminRefusal("That is not an email address.");
  const license = checkedLicense(given);
  if (given.partner_id !== null && Object.values(license).some((one) => one !== null)) {
    throw new AdminRefusal("Only the pharmacy's own staff can have a license.");
  }
  const person_id = randomId(12);
  if ((await insertPerson(tx, { ...given, ...license, person_id, created_at: now })) === 0) {
    throw new AdminRefusal("Another user already has this email address.");
  }
  return person_id;
}

/** Refuses a license with an invalid field. */
export function checkedLicense(given: Partial<PersonLicense>): PersonLicense {
  const read = readLicense(given);
  if ("problem" in read) throw new AdminRefusal(read.problem);
  return read.license;
}

/** Slow on purpose, so call it before a transaction, never inside one. */
export function hashPassword(password: string): string {
  const salt = saltFor(password);
  return stored(salt, scryptSync(password.normalize("NFKC"), salt, 32, SCRYPT));
}

/** The same off the main thread, for a process that serves requests at the same time. */
export async function hashPasswordAside(password: string): Promise<string> {
  const salt = saltFor(password);
  return stored(salt, await scryptLater(password.normalize("NFKC"), salt, 32, SCRYPT));
}

/** Generates a password that is shown only once. */
export async function newPassword(): Promise<{ password: string; password_hash: string }> {
  const password = randomSecret().slice(0, MADE_CHARACTERS);
  return { password, password_hash: await hashPasswordAside(password) };
}

function saltFor(password: string): Buffer {
  if (password.length < SHORTEST_PASSWORD) {
    throw new AdminRefusal(`A password must have at least ${SHORTEST_PASSWORD} characters.`);
  }
  return randomBytes(16);
}

const stored = (salt: Buffer, key: Buffer) =>
  `scrypt$${SCRYPT.N}$${SCRYPT.r}$${SCRYPT.p}$${salt.toString("base64url")}$${key.toString("base64url")}`;

/** Hashes off the main thread, so that other requests do not wait. */
export async function passwordMatches(password: string, kept: string): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = kept.split("$");
  const expected = Buffer.from(key, "base64url");
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: SCRYPT.maxmem };
  const given = await scryptLater(password.normalize("NFKC"), Buffer.from(salt, "base64url"), expected.length, options);
  return timingSafeEqual(given, expected);
}
