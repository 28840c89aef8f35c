import { reviewerRoles } from "@pestle/contract";
import { findPerson, type PersonRow } from "../../db/accounts/people.ts";
import type { Queryable } from "../../db/db.ts";
import { currentLicense, isPharmacistRole } from "../../domain/accounts/license.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

/** The roles that may view, route and close review entries. */
export const isReviewer = (role: string): boolean => (reviewerRoles as readonly string[]).includes(role);

/** Finds the person who decides, because a closed entry records them. */
export async function requireReviewer(db: Queryable, email: string): Promise<PersonRow> {
  const person = await findPerson(db, email);
  if (person === undefined) throw new AdminRefusal("No user has this email address.");
  if (!isReviewer(person.role)) {
    throw new AdminRefusal("Only a pharmacist, lead or admin of the pharmacy may decide this.");
  }
  return person;
}

/** The same for a decision that only a pharmacist with a current license may make. */
export async function requirePharmacist(db: Queryable, email: string, today: string): Promise<PersonRow> {
  const person = await findPerson(db, email);
  if (person === undefined) throw new AdminRefusal("No user has this email address.");
  if (!isPharmacistRole(person.role)) throw new AdminRefusal("Only a pharmacist may decide this.");
  if (currentLicense(person, today) === null) throw new AdminRefusal(LICENSE_NEEDED);
  return person;
}

export const LICENSE_NEEDED =
  "This needs a pharmacist with a current license. An admin enters the license on the People page or with `pestle user license`.";
