import { type Queryable, sql } from "../db.ts";

/** The vault's place of the blind index of a phone number that texted the pharmacy. The same for all accounts. */
export const SMS_CHOICE_PLACE = "sms_choice.phone_index";

type Choice = "stop" | "start";
/** A number that changes its mind more often loses the oldest of its choices. */
const KEPT = 100;

const add = sql<[phone_index: Buffer, provider_id: string, choice: Choice, at: Date, kept: number]>`
with old as (
  delete from sms_choice c
  where c.phone_index = $1 and c.choice_id <= (
    select x.choice_id
    from sms_choice x
    where x.phone_index = $1
    order by x.choice_id desc
    offset $5 - 1
    limit 1)
)
insert into sms_choice (phone_index, provider_id, choice, at)
values ($1, $2, $3, $4)
on conflict do nothing`;
/** Keeps a choice. The same message again changes nothing. */
export const insertSmsChoice = (db: Queryable, phone_index: Buffer, provider_id: string, choice: Choice, at: Date) =>
  db.run(add, [phone_index, provider_id, choice, at, KEPT]);

const newest = sql<[phone_index: Buffer], { choice: Choice }>`
select choice
from sms_choice
where phone_index = $1
order by choice_id desc
limit 1`;
export const findSmsChoice = async (db: Queryable, phone_index: Buffer): Promise<Choice | undefined> =>
  (await db.row(newest, [phone_index]))?.choice;
