import { type Queryable, sql } from "../db.ts";

const facts = sql<[], { version: string; clock: Date }>`
select split_part(current_setting('server_version'), ' ', 1) as version, clock_timestamp() as clock`;
export const loadServerFacts = async (db: Queryable) => (await db.row(facts, []))!;

const role = sql<[], { role: string; superuser: boolean; bypasses: boolean; owner: boolean }>`
select r.rolname::text as role, r.rolsuper as superuser, r.rolbypassrls as bypasses,
  exists (select from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relowner = r.oid) as owner
from pg_roles r
where r.rolname = current_user`;
/** What the role of this connection could do beyond its rights. */
export const loadRoleFacts = async (db: Queryable) => (await db.row(role, []))!;
