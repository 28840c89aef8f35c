import { type Queryable, sql } from "./db.ts";

const first = sql<[], { id: number }>`select scattered_id(0) as id`;
/** Creates the key that scatters ids, if the database has none. The service role can only read it. */
export const prepareIds = (db: Queryable) => db.row(first, []);
