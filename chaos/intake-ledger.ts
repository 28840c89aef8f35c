import type pg from "pg";

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
  answer: string | null;
  /** From storage to the end of processing. */
  took_ms: number | null;
  prescriptions: number;
  events: number;
};

/** Reads every stored message directly from the database. */
export async function readKept(client: pg.Client): Promise<KeptMessage[]> {
  const { rows } = await client.query<KeptMessage>(`
    with told as (
      select account_id, (body::jsonb #>> '{medication_requests,0,id}')::bigint as prescription_id, count(*) as events
      from webhook_event
      where event_type = 'RX_RECEIVED'
      group by 1, 2
    ), made as (
      select r.sender, r.sender_message_id, count(*)::int as prescriptions, coalesce(sum(t.events), 0)::int as events
      from prescription r
      left join told t on t.account_id = r.account_id and t.prescription_id = r.prescription_id
      group by 1, 2
    )
    select m.sender_message_id as message_id, m.state, m.answer,
      (extract(epoch from m.processed_at - m.received_at) * 1000)::int as took_ms,
      coalesce(d.prescriptions, 0) as prescriptions, coalesce(d.events, 0) as events
    from intake_message m
    left join made d on d.sender = m.sender and d.sender_message_id = m.sender_message_id`);
  return rows;
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
