import type { Database } from "../../db/db.ts";
import { partialFillPlace } from "../../db/fulfillment/partial-fills.ts";
import {
  hasUnsealed,
  lockUnsealed,
  saveSealedRows,
  type UnsealedRow,
  type UnsealedTable,
  unsealedTables,
} from "../../db/operations/unsealed-rows.ts";
import { itemPlace, orderPlace, referencePlace } from "../../db/orders/orders.ts";
import { formerRecordPlace, recordPlace } from "../../db/patients/patients.ts";
import { bytes } from "../../db/values.ts";
import type { Prescription } from "../../domain/intake/prescription.ts";
import type { Vault } from "../../vault/vault.ts";
import { type ReviewFacts, sealAnswer, sealFacts } from "../intake/message-answer.ts";
import { sealWritten } from "../intake/written.ts";
import { patientIdColumns } from "../patients/patient-rows.ts";
import { sealBody } from "../webhooks/event-body.ts";

const BATCH = 500;

/**
 * Seals what earlier versions stored in clear, in batches, before the service opens its listeners. After an interruption
 * the next start goes on. Returns how many rows it sealed.
 */
export async function sealOldRows(db: Database, vault: Vault): Promise<number> {
  let sealed = 0;
  for (const table of Object.keys(unsealedTables) as UnsealedTable[]) {
    if (!(await hasUnsealed(db, table))) continue;
    for (let count = BATCH; count === BATCH; ) {
      count = await db.transaction(async (tx) => {
        const rows = await lockUnsealed(tx, table, BATCH);
        if (rows.length > 0)
          await saveSealedRows(
            tx,
            table,
            rows.map((row) => sealings[table](vault, row)),
          );
        return rows.length;
      });
      sealed += count;
    }
  }
  return sealed;
}

const sealings: Record<UnsealedTable, (vault: Vault, row: UnsealedRow) => UnsealedRow> = {
  orders(vault, { reference, ...key }) {
    const [account_id, order_number, text] = [key["account_id"], key["order_number"], reference].map(String) as Texts;
    const place = orderPlace("reference_sealed", account_id, order_number);
    return {
      ...key,
      reference_sealed: bytes(vault.seal(Buffer.from(text), place)),
      reference_index: bytes(vault.blindIndex(text, referencePlace(account_id))),
    };
  },
  order_item(vault, { prescriber_name, prescriber_phone, prescriber_fax, ...key }) {
    const place = itemPlace(String(key["account_id"]), String(key["order_number"]), Number(key["item_id"]));
    const prescriber = Buffer.from(JSON.stringify({ prescriber_name, prescriber_phone, prescriber_fax }));
    return { ...key, prescriber_sealed: bytes(vault.seal(prescriber, place)) };
  },
  prescription(vault, { account_id, prescription_id, ...written }) {
    const key = { account_id: String(account_id), prescription_id: Number(prescription_id) };
    return { ...key, written_sealed: bytes(sealWritten(vault, key, written as unknown as Prescription)) };
  },
  intake_message(vault, { answer, ...key }) {
    const [account_id, sender, sender_message_id] = [key["account_id"], key["sender"], key["sender_message_id"]].map(
      String,
    ) as Texts;
    const place = { account_id, sender, sender_message_id };
    return { ...key, answer_sealed: bytes(sealAnswer(vault, place, String(answer))) };
  },
  partial_fill_request(vault, { note, ...key }) {
    const place = partialFillPlace(String(key["account_id"]), Number(key["prescription_id"]));
    return { ...key, note_sealed: bytes(vault.seal(Buffer.from(String(note)), place)) };
  },
  review(vault, { facts, account_id, review_id, intake_message_id, kind }) {
    const place = {
      account_id: String(account_id),
      intake_message_id: intake_message_id as number | null,
      kind: String(kind),
    };
    const facts_sealed = bytes(sealFacts(vault, place, facts as unknown as ReviewFacts));
    return { account_id: place.account_id, review_id: review_id!, facts_sealed };
  },
  patient(vault, { account_id, patient_key, patient_id, record_sealed }) {
    const [account, key] = [String(account_id), Number(patient_key)];
    const record = vault.open(record_sealed as unknown as Buffer, formerRecordPlace(account, String(patient_id)));
    return {
      account_id: account,
      patient_key: key,
      ...patientIdColumns({ vault }, account, key, String(patient_id)),
      record_sealed: bytes(vault.seal(record, recordPlace(account, key))),
    };
  },
  webhook_event(vault, { body, ...key }) {
    const event = { account_id: String(key["account_id"]), event_id: String(key["event_id"]) };
    return { ...event, body_sealed: bytes(sealBody(vault, event, String(body))) };
  },
};
type Texts = [string, string, string];
