import { type StaffRole, staffRoles } from "@pestle/contract";
import { findPerson } from "../../db/accounts/people.ts";
import type { Queryable } from "../../db/db.ts";
import { AdminRefusal } from "../accounts/admin-refusal.ts";
import type { Worker } from "./steps.ts";

/** Finds a staff member by email address. Each use case checks the role itself. */
export async function requireWorker(db: Queryable, email: string): Promise<Worker> {
  const person = await findPerson(db, email);
  if (person === undefined) throw new AdminRefusal("No user has this email address.");
  if (!Object.hasOwn(staffRoles, person.role)) throw new AdminRefusal("Only pharmacy staff can work on orders.");
  return { person_id: person.person_id, role: person.role as StaffRole };
}
