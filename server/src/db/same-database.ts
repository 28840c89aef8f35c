import { randomInt } from "node:crypto";
import { type Database, type Queryable, sql } from "./db.ts";

const hold = sql<[key: number]>`select pg_advisory_xact_lock($1::bigint)`;
const take = sql<[key: number], { taken: boolean }>`select pg_try_advisory_xact_lock($1::bigint) as taken`;

/**
 * Whether two addresses lead to the same database, by a lock that only it knows. Names and identifiers prove nothing: a copy that was
 * restored has those of the original.
 */
export function isSameDatabase(one: Database, other: Queryable): Promise<boolean> {
  const key = randomInt(2 ** 47);
  return one.transaction(async (tx) => {
    await tx.run(hold, [key]);
    return !(await other.row(take, [key]))!.taken;
  });
}
