import { pharmacistRoles } from "@pestle/contract";
import type { Queryable } from "../db/db.ts";
import { findPerson, type PersonRow } from "../db/people.ts";
import { AdminRefusal } from "./admin-refusal.ts";

/** Who of the pharmacy may decide what waits for a person. */
const reviewerRoles: readonly string[] = pharmacistRoles;

export const isReviewer = (role: string): boolean => reviewerRoles.includes(role);

/** Whoever decides is known by name: the entry that is closed keeps who it was. */
export async function requireReviewer(db: Queryable, email: string): Promise<PersonRow> {
  const person = await findPerson(db, email);
  if (person === undefined) throw new AdminRefusal("Nobody signs in with this e-mail address.");
  if (!isReviewer(person.role)) {
    throw new AdminRefusal("Only a pharmacist, a lead or an admin of the pharmacy may decide this.");
  }
  return person;
}

const LONGEST_NOTE = 500;

/** What somebody writes beside a decision. */
export function checkedNote(text: string): string {
  const note = text.trim();
  if (note === "" || note.length > LONGEST_NOTE || /\p{Cc}/u.test(note)) {
    throw new AdminRefusal(`Write one line of 1 to ${LONGEST_NOTE} characters.`);
  }
  return note;
}
