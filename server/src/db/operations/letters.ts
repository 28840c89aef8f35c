import { type Queryable, sql } from "../db.ts";

/** The vault's place for the recipient, subject and text of a letter. */
export const letterPlace = (letter_id: string) => `letter.content_sealed ${letter_id}`;

const add = sql<[letter_id: string, now: Date, content_sealed: Buffer]>`
insert into letter (letter_id, created_at, state, due_at, content_sealed)
values ($1, $2, 'queued', $2, $3)`;
export const insertLetter = (db: Queryable, letter_id: string, now: Date, content_sealed: Buffer) =>
  db.run(add, [letter_id, now, content_sealed]);

export type DueLetter = { letter_id: string; attempts: number; claims: number; content_sealed: Buffer };
const claim = sql<[now: Date, lease_s: number, most: number], DueLetter>`
with picked as materialized (
  select l.letter_id
  from letter l
  where l.due_at <= $1 and (l.claimed_until is null or l.claimed_until < now())
  order by l.due_at
  limit $3
  for update skip locked
)
update letter l
set claims = l.claims + 1, claimed_until = now() + $2::integer * interval '1 second'
from picked p
where l.letter_id = p.letter_id
returning l.letter_id, l.attempts, l.claims, l.content_sealed`;
/** Claims due letters for a lease longer than any attempt. */
export const claimLetters = (db: Queryable, now: Date, lease_s: number, most: number) =>
  db.rows(claim, [now, lease_s, most]);

type LetterEnd = { state: "queued" | "sent" | "failed"; error: string | null; due_at: Date | null };
const end = sql<[letter_id: string, claims: number, state: string, error: string | null, due_at: Date | null]>`
update letter
set state = $3, error = $4, due_at = $5, attempts = attempts + 1, claimed_until = null
where letter_id = $1 and claims = $2 and state = 'queued'`;
export const endLetter = (db: Queryable, { letter_id, claims }: DueLetter, ended: LetterEnd) =>
  db.run(end, [letter_id, claims, ended.state, ended.error, ended.due_at]);

const bounce = sql<[letter_id: string, error: string]>`
update letter
set state = 'failed', error = $2
where letter_id = $1 and state = 'sent'`;
/** A mail server took the letter and returned it later. Returns 0 if it is not ours, or deleted since. */
export const bounceLetter = (db: Queryable, letter_id: string, error: string) => db.run(bounce, [letter_id, error]);

const old = sql<[before: Date, most: number]>`
delete from letter
where letter_id in (
  select letter_id
  from letter
  where due_at is null and created_at < $1
  limit $2)`;
export const deleteOldLetters = (db: Queryable, before: Date, most: number) => db.run(old, [before, most]);

const failed = sql<[since: Date], { failed: number; error: string | null }>`
select count(*)::integer as failed, max(error) as error
from letter
where state = 'failed' and created_at >= $1`;
/** The letters that no one received since then. */
export const countFailedLetters = async (db: Queryable, since: Date) => (await db.row(failed, [since]))!;
