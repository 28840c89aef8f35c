import { digestPlace } from "../accounts/credentials.ts";
import { totpPlace } from "../accounts/sessions.ts";
import { ssoSecretPlace } from "../accounts/sso.ts";
import type { Queryable, Tx } from "../db.ts";
import { counselingNotePlace } from "../fulfillment/counseling.ts";
import { notePlace } from "../fulfillment/order-notes.ts";
import { parcelLabelPlace } from "../fulfillment/parcel-labels.ts";
import { partialFillPlace } from "../fulfillment/partial-fills.ts";
import { postagePlace } from "../fulfillment/postage.ts";
import { shipmentLabelPlace } from "../fulfillment/shipments.ts";
import { answerPlace } from "../idempotency.ts";
import { messageAnswerPlace, messagePlace } from "../intake/messages.ts";
import { factsPlace } from "../intake/reviews.ts";
import { orderMessagePlace } from "../orders/order-messages.ts";
import { itemPlace, orderPlace, sealedOrderColumns } from "../orders/orders.ts";
import { patientMessagePlace } from "../patients/patient-messages.ts";
import { detailsPlace, patientIdPlace, recordPlace, writtenPlace } from "../patients/patients.ts";
import { prescriberMessagePlace, sealedMessageColumns } from "../prescribers/prescriber-messages.ts";
import { routePlace } from "../prescribers/prescriber-routes.ts";
import { schedulePlace } from "../schedules/schedules.ts";
import { attemptPlace } from "../webhooks/attempts.ts";
import { endpointPlace, sealedEndpointColumns } from "../webhooks/due-endpoints.ts";
import { eventPlace } from "../webhooks/new-event.ts";
import { auditKeyPlace } from "./audit-roots.ts";
import { letterPlace } from "./letters.ts";

/**
 * Every column that holds sealed values. A rotation processes this list, and a test compares it with the schema. Each
 * column has a companion `<name>_key_id` that references the data key (migration 4).
 */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: "credential_secret",
    column: "digest_sealed",
    key: ["account_id", "credential_id", "secret_id"],
    place: (row) => digestPlace(String(row["account_id"]), String(row["credential_id"]), Number(row["secret_id"])),
  },
  {
    table: "idempotent_answer",
    column: "body_sealed",
    key: ["account_id", "path", "idempotency_key"],
    place: (row) =>
      answerPlace({
        account_id: String(row["account_id"]),
        path: String(row["path"]),
        idempotency_key: String(row["idempotency_key"]),
      }),
  },
  {
    table: "intake_message",
    column: "body_sealed",
    key: ["account_id", "sender", "sender_message_id"],
    place: (row) => messagePlace(String(row["account_id"]), String(row["sender"]), String(row["sender_message_id"])),
  },
  {
    table: "intake_message",
    column: "answer_sealed",
    key: ["account_id", "sender", "sender_message_id"],
    place: (row) =>
      messageAnswerPlace(String(row["account_id"]), String(row["sender"]), String(row["sender_message_id"])),
  },
  {
    table: "counseling_entry",
    column: "note_sealed",
    key: ["account_id", "order_number", "item_id", "entry_number"],
    place: (row) =>
      counselingNotePlace(
        String(row["account_id"]),
        String(row["order_number"]),
        Number(row["item_id"]),
        Number(row["entry_number"]),
      ),
  },
  {
    table: "partial_fill_request",
    column: "note_sealed",
    key: ["account_id", "prescription_id"],
    place: (row) => partialFillPlace(String(row["account_id"]), Number(row["prescription_id"])),
  },
  {
    table: "review",
    column: "facts_sealed",
    key: ["account_id", "review_id"],
    also: ["intake_message_id", "kind"],
    place: (row) =>
      factsPlace(String(row["account_id"]), row["intake_message_id"] as number | null, String(row["kind"])),
  },
  {
    table: "patient",
    column: "record_sealed",
    key: ["account_id", "patient_key"],
    place: (row) => recordPlace(String(row["account_id"]), Number(row["patient_key"])),
  },
  {
    table: "patient",
    column: "id_sealed",
    key: ["account_id", "patient_key"],
    place: (row) => patientIdPlace(String(row["account_id"]), Number(row["patient_key"])),
  },
  {
    table: "person",
    column: "totp_sealed",
    key: ["person_id"],
    place: (row) => totpPlace(String(row["person_id"])),
  },
  {
    table: "prescription",
    column: "details_sealed",
    key: ["account_id", "prescription_id"],
    place: (row) => detailsPlace(String(row["account_id"]), Number(row["prescription_id"])),
  },
  {
    table: "sso_provider",
    column: "client_secret_sealed",
    key: ["provider_id"],
    place: (row) => ssoSecretPlace(String(row["provider_id"])),
  },
  {
    table: "prescription",
    column: "written_sealed",
    key: ["account_id", "prescription_id"],
    place: (row) => writtenPlace(String(row["account_id"]), Number(row["prescription_id"])),
  },
  {
    table: "order_item",
    column: "prescriber_sealed",
    key: ["account_id", "order_number", "item_id"],
    place: (row) => itemPlace(String(row["account_id"]), String(row["order_number"]), Number(row["item_id"])),
  },
  ...sealedOrderColumns.map((column) => ({
    table: "orders",
    column,
    key: ["account_id", "order_number"],
    place: (row: Record<string, unknown>) => orderPlace(column, String(row["account_id"]), String(row["order_number"])),
  })),
  {
    table: "order_message",
    column: "text_sealed",
    key: ["account_id", "order_number", "message_number"],
    place: (row) =>
      orderMessagePlace(String(row["account_id"]), String(row["order_number"]), Number(row["message_number"])),
  },
  ...sealedMessageColumns.map((column) => ({
    table: "prescriber_message",
    column,
    key: ["account_id", "message_id"],
    place: (row: Record<string, unknown>) =>
      prescriberMessagePlace(column, String(row["account_id"]), String(row["message_id"])),
  })),
  {
    table: "patient_message",
    column: "content_sealed",
    key: ["account_id", "message_id"],
    place: (row) => patientMessagePlace(String(row["account_id"]), String(row["message_id"])),
  },
  {
    table: "letter",
    column: "content_sealed",
    key: ["letter_id"],
    place: (row) => letterPlace(String(row["letter_id"])),
  },
  {
    table: "prescriber_route",
    column: "signing_secret_sealed",
    key: ["account_id", "sender"],
    place: (row) => routePlace(String(row["account_id"]), String(row["sender"])),
  },
  {
    table: "refill_schedule",
    column: "request_sealed",
    key: ["account_id", "schedule_id"],
    place: (row) => schedulePlace(String(row["account_id"]), String(row["schedule_id"])),
  },
  {
    table: "order_note",
    column: "text_sealed",
    key: ["account_id", "order_number", "note_id"],
    place: (row) => notePlace(String(row["account_id"]), String(row["order_number"]), String(row["note_id"])),
  },
  {
    table: "parcel_label",
    column: "content_sealed",
    key: ["account_id", "order_number", "label_id"],
    place: (row) => parcelLabelPlace(String(row["account_id"]), String(row["order_number"]), Number(row["label_id"])),
  },
  {
    table: "postage",
    column: "made_for_sealed",
    key: ["account_id", "order_number", "postage_id"],
    place: (row) => postagePlace(String(row["account_id"]), String(row["order_number"]), Number(row["postage_id"])),
  },
  {
    table: "shipment",
    column: "label_sealed",
    key: ["account_id", "order_number", "shipment_id"],
    place: (row) =>
      shipmentLabelPlace(String(row["account_id"]), String(row["order_number"]), Number(row["shipment_id"])),
  },
  ...sealedEndpointColumns.map((column) => ({
    table: "webhook_endpoint",
    column,
    key: ["account_id", "endpoint_id"],
    place: (row: Record<string, unknown>) =>
      endpointPlace(column, String(row["account_id"]), String(row["endpoint_id"])),
  })),
  {
    table: "webhook_event",
    column: "body_sealed",
    key: ["account_id", "event_id"],
    place: (row) => eventPlace(String(row["account_id"]), String(row["event_id"])),
  },
  {
    table: "webhook_attempt",
    column: "exchange_sealed",
    key: ["account_id", "event_id", "endpoint_id", "attempt"],
    place: (row) =>
      attemptPlace(
        String(row["account_id"]),
        String(row["event_id"]),
        String(row["endpoint_id"]),
        Number(row["attempt"]),
      ),
  },
  {
    table: "audit_key",
    column: "private_sealed",
    key: ["key_id"],
    place: (row) => auditKeyPlace(String(row["key_id"])),
  },
];

export type SealedColumn = {
  table: string;
  column: string;
  /** The columns of its primary key or another unique index, in index order. */
  key: readonly string[];
  /** Further columns that name the place. */
  also?: readonly string[];
  /** The place that the vault sealed the value for. */
  place: (key: Record<string, unknown>) => string;
};
export type SealedRow = { key: Record<string, unknown>; sealed: Buffer };

const keyIdColumn = ({ column }: SealedColumn) => column.replace(/_sealed$/, "_key_id");

/** Locks some rows sealed with keys older than this one. Foreign keys to the rows do not block. */
export async function lockRowsSealedBefore(tx: Tx, where: SealedColumn, key_id: number, most: number) {
  const { rows } = await tx.raw(
    `select ${[...where.key, ...(where.also ?? [])].join(", ")}, ${where.column} as sealed
    from ${where.table}
    where ${keyIdColumn(where)} < $1
    order by ${where.key.join(", ")}
    limit $2
    for no key update`,
    [key_id, most],
  );
  return rows.map(({ sealed, ...key }): SealedRow => ({ key, sealed: sealed as Buffer }));
}

export async function saveSealed(tx: Tx, where: SealedColumn, rows: readonly SealedRow[]): Promise<void> {
  const given = rows.map(({ key, sealed }) => ({ ...key, [where.column]: `\\x${sealed.toString("hex")}` }));
  await tx.raw(
    `update ${where.table} as t
    set ${where.column} = r.${where.column}
    from jsonb_populate_recordset(null::${where.table}, $1::jsonb) as r
    where ${where.key.map((name) => `t.${name} = r.${name}`).join(" and ")}`,
    [JSON.stringify(given)],
  );
}

/** Returns any one value, to prove that it opens. */
export async function anySealed(db: Queryable, where: SealedColumn): Promise<SealedRow | undefined> {
  const { rows } = await db.raw(
    `select ${[...where.key, ...(where.also ?? [])].join(", ")}, ${where.column} as sealed
    from ${where.table}
    where ${where.column} is not null
    limit 1`,
  );
  return rows.map(({ sealed, ...key }): SealedRow => ({ key, sealed: sealed as Buffer }))[0];
}

/** Counts the values that each data key seals. */
export async function countSealed(db: Queryable): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const where of sealedColumns) {
    const { rows } = await db.raw(
      `select ${keyIdColumn(where)} as key_id, count(*) as count
      from ${where.table}
      where ${where.column} is not null
      group by 1`,
    );
    for (const row of rows) {
      const key_id = Number(row["key_id"]);
      counts.set(key_id, (counts.get(key_id) ?? 0) + Number(row["count"]));
    }
  }
  return counts;
}
