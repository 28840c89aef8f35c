import { type PersonLicense, portalRoleNames, staffRoleNames } from "@pestle/contract";
import { insertPerson } from "../../db/accounts/people.ts";
import type { Tx } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import { readLicense } from "../../domain/accounts/license.ts";
import { randomId, randomSecret } from "../../random.ts";
import { hashPassword } from "../../vault/password-hash.ts";
import { AdminRefusal } from "./admin-refusal.ts";

const MADE_CHARACTERS = 20;
const DEMO_COST = 12;

/** Creates a user: a staff member, or with `partner_id` a portal user of that partner. */
export async function createPerson(
  tx: Tx,
  given: {
    email: string;
    name: string;
    role: string;
    partner_id: string | null;
    password_hash: string;
    /** The password was generated for the person, who must choose another one at the first sign-in. */
    must_change_password?: boolean;
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
  if (
    (await insertPerson(tx, {
      must_change_password: false,
      ...given,
      ...license,
      person_id,
      created_at: now,
    })) === 0
  ) {
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

/** Generates a password that is shown only once. */
export async function newPassword({
  passwords,
}: Pick<Deps, "passwords">): Promise<{ password: string; password_hash: string }> {
  const password = madePassword();
  return { password, password_hash: await passwords.hash(password) };
}

/** The demo's passwords are random, so a slow hash adds nothing but seconds to the first start. Sign-in renews it. */
export function demoPassword(): { password: string; password_hash: string } {
  const password = madePassword();
  return { password, password_hash: hashPassword(password, DEMO_COST) };
}

export const madePassword = () => randomSecret().slice(0, MADE_CHARACTERS);

/** Refuses a password that is short, common, or mostly the person's own data. */
export function checkNewPassword(
  { passwords, config }: Pick<Deps, "passwords" | "config">,
  password: string,
  person: { email: string; name: string; partner_name?: string | null },
): void {
  const own = [person.email, person.name, person.partner_name ?? "", config.OPERATOR_NAME, "pestle"];
  const problem = passwords.problem(password, own);
  if (problem !== null) throw new AdminRefusal(problem);
}
