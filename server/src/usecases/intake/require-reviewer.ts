import { pharmacistRoles } from "@pestle/contract";
import { findPerson, type PersonRow } from "../../db/accounts/people.ts";
import type { Queryable } from "../../db/db.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

/** The roles that may decide review entries. */
const reviewerRoles: readonly string[] = pharmacistRoles;

export const isReviewer = (role: string): boolean => reviewerRoles.includes(role);

/** Finds the person who decides, because a closed entry records them. */
export async function requireReviewer(db: Queryable, email: string): Promise<PersonRow> {
  const person = await findPerson(db, email);
  if (person === undefined) throw new AdminRefusal("No user has this email address.");
  if (!isReviewer(person.role)) {
    throw new AdminRefusal("Only a pharmacist, lead or admin of the pharmacy may decide this.");
  }
  return person;
}
