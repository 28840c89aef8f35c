import { NOTE_CHARACTERS, pharmacistRoles } from "@pestle/contract";
import { findPerson, type PersonRow } from "../../db/accounts/people.ts";
import type { Queryable } from "../../db/db.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";

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

/** What somebody writes beside a decision, on as many lines as they like. */
export function checkedNote(text: string): string {
  const note = text.trim();
  if (note === "" || note.length > NOTE_CHARACTERS || /(?!\n)\p{Cc}/u.test(note)) {
    throw new AdminRefusal(`Write 1 to ${NOTE_CHARACTERS} characters, in plain text.`);
  }
  return note;
}
