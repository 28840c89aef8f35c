import { pharmacistRoles, reviewerRoles } from "@pestle/contract";
import { findPerson, type PersonRow } from "../../db/accounts/people.ts";
import type { Queryable } from "../../db/db.ts";
import { currentLicense } from "../../domain/accounts/license.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

/** The roles that may view, route and close review entries. */
export const isReviewer = (role: string): boolean => (reviewerRoles as readonly string[]).includes(role);

const isPharmacist = (role: string): boolean => (pharmacistRoles as readonly string[]).includes(role);

/** Whether a person may decide whether a prescription can be filled. */
export const mayGiveVerdict = ({ role, license }: { role: string; license: string | null }): boolean =>
  isPharmacist(role) && license !== null;

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
  if (!isPharmacist(person.role)) throw new AdminRefusal("Only a pharmacist may decide this.");
  if (currentLicense(person, today) === null) throw new AdminRefusal(LICENSE_NEEDED);
  return person;
}

export const LICENSE_NEEDED =
  "This needs a pharmacist with a current license. An admin enters the license on the People page or with `pestle user license`.";
