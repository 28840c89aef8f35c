import { type Queryable, sql } from "../db.ts";

const facts = sql<[], { version: string; clock: Date }>`
select split_part(current_setting('server_version'), ' ', 1) as version, clock_timestamp() as clock`;
export const loadServerFacts = async (db: Queryable) => (await db.row(facts, []))!;
