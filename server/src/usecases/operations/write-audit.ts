import { type AuditAction, fieldGroupsOf } from "@pestle/contract";
import type { Queryable } from "../../db/db.ts";
import { type AuditEntry, insertAudit, insertAuditOnce } from "../../db/operations/audit.ts";
import type { Deps } from "../../deps.ts";

/** The signed-in person. */
export type Looker = {
  person_id: string;
  role: string;
  /** The client's address; absent on the command line. */
  address?: string;
};

type Entry = { account_id: string | null; action: AuditAction } & Pick<
  AuditEntry,
  "patients" | "patient_keys" | "field_groups"
>;

/**
 * Records who viewed or changed what, before the data is shown. It stores ids only, so an entry does not identify a
 * patient. A change is audited in the transaction that makes it.
 */
export const writeAudit = (
  deps: Pick<Deps, "now"> & { db: Queryable },
  { person_id, role, address }: Looker,
  entry: Entry & { subject: string | null },
  /** Null for a command, which is not a request. */
  request_id: string | null,
): Promise<number> =>
  insertAudit(deps.db, { ...personal(entry), at: deps.now(), person_id, role, address: address ?? null, request_id });

const personal = <Given extends Entry>(entry: Given) => ({ field_groups: fieldGroupsOf(entry.action), ...entry });

/** Repeated requests of an open page within this time count as one view. */
const ONE_LOOK_MS = 5 * 60 * 1000;

/** The same for data that an open page requests repeatedly. */
export function writeLook(
  { db, now }: Pick<Deps, "db" | "now">,
  { person_id, role, address }: Looker,
  entry: Entry & { subject: string },
  request_id: string,
): Promise<number> {
  const at = now();
  return insertAuditOnce(
    db,
    { ...personal(entry), at, person_id, role, address: address ?? null, request_id },
    new Date(at.getTime() - ONE_LOOK_MS),
  );
}
