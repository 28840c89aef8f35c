import type { Workflow } from "@pestle/contract";
import { type Queryable, sql } from "../db.ts";
import { findMadePrescription, type MadePrescription } from "../intake/messages.ts";

/** The simulated account, with the fields that message routing needs. */
export type SimulatedAccount = {
  account_id: string;
  workflow: Workflow;
  clock_offset_s: number;
  routing_rules: never[];
};

const lock = sql<[account_id: string], Omit<SimulatedAccount, "routing_rules">>`
select a.account_id, a.workflow, a.clock_offset_s
from account_home h
join account a on a.account_id = h.account_id
where h.account_id = $1
-- Serializes simulated prescriptions, because each has a number.
for no key update of h`;
export const lockSimulated = async (db: Queryable, account_id: string): Promise<SimulatedAccount> => ({
  ...(await db.row(lock, [account_id]))!,
  routing_rules: [],
});

const last = sql<[account_id: string, sender: string], { last: string | null }>`
select max(sender_message_id) as last
from intake_message
where account_id = $1 and sender = $2`;
/** The id of the newest simulated message. Ids of one length sort like their numbers. */
export const lastMessageOf = async (db: Queryable, account_id: string, sender: string) =>
  (await db.row(last, [account_id, sender]))?.last ?? null;

export type KnownMessage = {
  body_hash: Buffer;
  /** The answer to a simulation; both null if the message came from the network. */
  answer: string | null;
  answer_sealed: Buffer | null;
  /** The account that keeps the message. */
  kept_by: string;
} & Pick<MadePrescription, "patient_key" | "id_sealed" | "prescription_id">;
const known = sql<
  [account_id: string, sender: string, sender_message_id: string],
  Omit<KnownMessage, keyof MadePrescription>
>`
select m.body_hash, case when m.format = 'simulation' then m.answer end as answer,
  case when m.format = 'simulation' then m.answer_sealed end as answer_sealed, m.account_id as kept_by
from intake_message m
where m.sender = $2 and m.sender_message_id = $3 and (m.account_id = $1 or m.for_account_id = $1)
  and m.account_id in (
    select o.account_id
    from account a
    join account o on o.account_id = a.account_id or (o.partner_id is null and o.environment = a.environment)
    where a.account_id = $1)`;
/** A message that the account has already received, simulated or from the network. */
export async function findKnown(
  db: Queryable,
  account_id: string,
  sender: string,
  sender_message_id: string,
): Promise<KnownMessage | undefined> {
  const message = await db.row(known, [account_id, sender, sender_message_id]);
  return message && { ...message, ...(await findMadePrescription(db, account_id, sender, sender_message_id)) };
}

const end = sql<[account_id: string, prescription_id: number]>`
update prescription
set active = false, order_due_at = null
where account_id = $1 and prescription_id = $2`;
/** Ends the prescription, as if the prescriber had canceled it at once. */
export const endSimulated = (db: Queryable, account_id: string, prescription_id: number) =>
  db.run(end, [account_id, prescription_id]);
