import { type StaffRole, staffRoles } from "@pestle/contract";
import { findPerson } from "../../db/accounts/people.ts";
import type { Queryable } from "../../db/db.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import type { Worker } from "./steps.ts";

/** Somebody of the pharmacy, by the address they sign in with. What the role may do, each use case asks itself. */
export async function requireWorker(db: Queryable, email: string): Promise<Worker> {
  const person = await findPerson(db, email);
  if (person === undefined) throw new AdminRefusal("Nobody signs in with this e-mail address.");
  if (!Object.hasOwn(staffRoles, person.role)) throw new AdminRefusal("Only people of the pharmacy work on orders.");
  return { person_id: person.person_id, role: person.role as StaffRole };
}
