import { type Queryable, sql, type Tx } from "../db.ts";

const drop = sql<[person_id: string]>`
delete from recovery_code
where person_id = $1`;
export const deleteRecoveryCodes = (tx: Tx, person_id: string) => tx.run(drop, [person_id]);

const add = sql<[person_id: string, code_hashes: Buffer[]]>`
insert into recovery_code (person_id, code_hash)
select $1, unnest($2::bytea[])`;
export const insertRecoveryCodes = (tx: Tx, person_id: string, code_hashes: Buffer[]) =>
  tx.run(add, [person_id, code_hashes]);

const take = sql<[person_id: string, code_hash: Buffer]>`
delete from recovery_code
where person_id = $1 and code_hash = $2`;
/** Returns 0 if the person has no such code, or has used it. */
export const takeRecoveryCode = (db: Queryable, person_id: string, code_hash: Buffer) =>
  db.run(take, [person_id, code_hash]);
