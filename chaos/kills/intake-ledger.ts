import { join } from "node:path";
import type pg from "pg";
import { eventPlace } from "../../server/src/db/webhooks/new-event.ts";
import { decrypt } from "../../server/src/vault/aes.ts";
import { readKeyFile } from "../../server/src/vault/master-key.ts";
import { unwrap } from "../../server/src/vault/vault.ts";

/** What senders of e-prescriptions know. Every message has its own id. */
export type IntakeLedger = {
  /** Answered by the service. Each of these must become exactly one prescription, regardless of later kills. */
  acknowledged: { message_id: string; body: Uint8Array; answer: string }[];
  /** Sent once and never again, regardless of the outcome. */
  forgotten: Set<string>;
};

/** A message that the service stored, and its outcome. */
export type KeptMessage = {
  message_id: string;
  state: "received" | "processed";
  /** From storage to the end of processing. */
  took_ms: number | null;
  prescriptions: number;
  events: number;
};

/** Reads every stored message directly from the database. */
export async function readKept(client: pg.Client, data_dir: string): Promise<KeptMessage[]> {
  const told = JSON.stringify(await eventsByPrescription(client, data_dir));
  const { rows } = await client.query<KeptMessage>(
    `
    with told as (
      select t.account_id, t.prescription_id, count(*) as events
      from json_to_recordset($1::json) as t(account_id text, prescription_id bigint)
      group by 1, 2
    ), made as (
      select r.sender, r.sender_message_id, count(*)::int as prescriptions, coalesce(sum(t.events), 0)::int as events
      from prescription r
      left join told t on t.account_id = r.account_id and t.prescription_id = r.prescription_id
      group by 1, 2
    )
    select m.sender_message_id as message_id, m.state,
      (extract(epoch from m.processed_at - m.received_at) * 1000)::int as took_ms,
      coalesce(d.prescriptions, 0) as prescriptions, coalesce(d.events, 0) as events
    from intake_message m
    left join made d on d.sender = m.sender and d.sender_message_id = m.sender_message_id`,
    [told],
  );
  return rows;
}

/** The prescription that each event reports. Bodies are sealed, so it needs the folder's master key. */
async function eventsByPrescription(client: pg.Client, data_dir: string) {
  const { rows } = await client.query<{ account_id: string; event_id: string; body_sealed: Buffer; wrapped: Buffer }>(`
    select e.account_id, e.event_id, e.body_sealed, k.key_id, k.wrapped
    from webhook_event e
    join data_key k on k.key_id = e.body_key_id
    where e.event_type = 'RX_RECEIVED'`);
  if (rows.length === 0) return [];
  const master = readKeyFile(join(data_dir, "master.key"))!;
  const keys = new Map<string, Buffer>();
  const events: { account_id: string; prescription_id: number }[] = [];
  for (const { account_id, event_id, body_sealed, wrapped } of rows) {
    const name = wrapped.toString("hex");
    const key = keys.get(name) ?? (await unwrap(master, wrapped, body_sealed.readUInt32BE(0)));
    keys.set(name, key);
    const body = decrypt(key, body_sealed.subarray(4), eventPlace(account_id, event_id)).toString("utf8");
    const { medication_requests } = JSON.parse(body) as { medication_requests: { id: number }[] };
    events.push({ account_id, prescription_id: medication_requests[0]!.id });
  }
  return events;
}

/** Duplicate patients: all messages of one person have the same name, birth date, telephone and ZIP code. */
export async function countDoubledPatients(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ doubled: number }>(`
    select coalesce(sum(made - 1), 0)::int as doubled
    from (select count(*) as made from patient group by account_id, name_dob_index) as people`);
  return rows[0]!.doubled;
}

/**
 * Lost: an acknowledged message without its prescription and event, or a stored message without an outcome, unless
 * the acknowledgment says so. Doubled: more than one prescription or event, for any recipient.
 */
export function countKept(acknowledged: IntakeLedger["acknowledged"], kept: readonly KeptMessage[]) {
  const byId = new Map(kept.map((message) => [message.message_id, message]));
  const isThere = ({ message_id, answer }: { message_id: string; answer: string }) => {
    const found = byId.get(message_id);
    if (found === undefined) return false;
    return (found.state === "received" && isPending(answer)) || (found.prescriptions >= 1 && found.events >= 1);
  };
  return {
    lost: acknowledged.filter((one) => !isThere(one)).length,
    doubled: kept.filter(({ prescriptions, events }) => prescriptions > 1 || events > 1).length,
  };
}

/** Stored, to be processed later (SCRIPT's Status 000). */
export const isPending = (answer: string) => answer.includes("<Code>000</Code>");
/** Accepted (SCRIPT's Status 010). */
export const isAccepted = (answer: string) => answer.includes("<Code>010</Code>");
