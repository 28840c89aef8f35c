import { type Queryable, sql } from "../db.ts";

/** The vault's place for a note. */
export const notePlace = (account_id: string, order_number: string, note_id: string) =>
  `order_note.text_sealed ${account_id} ${order_number} ${note_id}`;

const insert = sql<
  [
    account_id: string,
    order_number: string,
    note_id: string,
    at: Date,
    person_id: string | null,
    role: string,
    text_sealed: Buffer,
  ]
>`
insert into order_note (account_id, order_number, note_id, at, person_id, role, text_sealed)
values ($1, $2, $3, $4, $5, $6, $7)`;
/** Adds a note without changing the order. */
export const insertNote = (
  db: Queryable,
  note: {
    account_id: string;
    order_number: string;
    note_id: string;
    at: Date;
    person_id: string | null;
    role: string;
    text_sealed: Buffer;
  },
) =>
  db.run(insert, [
    note.account_id,
    note.order_number,
    note.note_id,
    note.at,
    note.person_id,
    note.role,
    note.text_sealed,
  ]);

export type NoteRow = {
  note_id: string;
  at: Date;
  person_id: string | null;
  role: string;
  text_sealed: Buffer;
  signature: Buffer | null;
};
const list = sql<[account_id: string, order_number: string], NoteRow>`
select note_id, at, person_id, role, text_sealed, signature
from order_note
where account_id = $1 and order_number = $2
order by at, note_id`;
export const listNotes = (db: Queryable, account_id: string, order_number: string) =>
  db.rows(list, [account_id, order_number]);
