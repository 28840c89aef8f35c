import { type Queryable, sql, type Tx } from "./db.ts";

export type IdempotencyClaim = { account_id: string; path: string; idempotency_key: string; fingerprint: Buffer };
export type KeptAnswer = { fingerprint: Buffer; status: number; body_sealed: Buffer };

/** The vault's place for the body of a stored answer. */
export const answerPlace = ({ account_id, path, idempotency_key }: Omit<IdempotencyClaim, "fingerprint">) =>
  `idempotent_answer.body_sealed ${account_id} ${path} ${idempotency_key}`;

// "is true" keeps the planner from searching by age. In a table without statistics the age looks as selective as the key.
const claim = sql<
  [account_id: string, path: string, idempotency_key: string, since: Date],
  { claimed: boolean | null } & (KeptAnswer | { fingerprint: null; status: null; body_sealed: null })
>`
select kept.fingerprint, kept.status, kept.body_sealed,
  case when kept.body_sealed is null
    then pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || $2 || ' ' || $3, 7205521))
  end as claimed
from (select 1) as always
left join idempotent_answer kept
  on kept.account_id = $1 and kept.path = $2 and kept.idempotency_key = $3 and (kept.created_at > $4) is true`;
/**
 * Returns the stored answer, or claims the key until the transaction ends, or neither if another request has the claim.
 * Uses an advisory lock because it ends with the connection: a killed process leaves no claim behind.
 */
export const claimKey = async (tx: Tx, { account_id, path, idempotency_key }: IdempotencyClaim, since: Date) =>
  (await tx.row(claim, [account_id, path, idempotency_key, since]))!;

const read = sql<[account_id: string, path: string, idempotency_key: string, since: Date], KeptAnswer>`
select fingerprint, status, body_sealed
from idempotent_answer
where account_id = $1 and path = $2 and idempotency_key = $3 and (created_at > $4) is true`;
/**
 * Reads again after the claim, because another request may have stored the answer between the statement's start and the
 * lock.
 */
export const loadKeptAnswer = (db: Queryable, { account_id, path, idempotency_key }: IdempotencyClaim, since: Date) =>
  db.row(read, [account_id, path, idempotency_key, since]);

const keep = sql<
  [
    account_id: string,
    path: string,
    idempotency_key: string,
    fingerprint: Buffer,
    status: number,
    body_sealed: Buffer,
    now: Date,
  ]
>`
insert into idempotent_answer (account_id, path, idempotency_key, fingerprint, status, body_sealed, created_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (account_id, path, idempotency_key) do update
set fingerprint = excluded.fingerprint, status = excluded.status, body_sealed = excluded.body_sealed,
  created_at = excluded.created_at`;
export const keepAnswer = (
  tx: Tx,
  { account_id, path, idempotency_key, fingerprint }: IdempotencyClaim,
  { status, body_sealed }: Omit<KeptAnswer, "fingerprint">,
  now: Date,
) => tx.run(keep, [account_id, path, idempotency_key, fingerprint, status, body_sealed, now]);

const removeOld = sql<[account_id: string, before: Date, most: number]>`
delete from idempotent_answer
where account_id = $1 and (path, idempotency_key) in (
  select path, idempotency_key
  from idempotent_answer
  where account_id = $1 and created_at <= $2
  limit $3)`;
export const deleteKeptAnswers = (db: Queryable, account_id: string, before: Date, most: number) =>
  db.run(removeOld, [account_id, before, most]);

const replace = sql<[account_id: string, path: string, idempotency_key: string, body_sealed: Buffer]>`
update idempotent_answer
set body_sealed = $4
where account_id = $1 and path = $2 and idempotency_key = $3`;
export const replaceAnswer = (
  db: Queryable,
  { account_id, path, idempotency_key }: IdempotencyClaim,
  body_sealed: Buffer,
) => db.run(replace, [account_id, path, idempotency_key, body_sealed]);
