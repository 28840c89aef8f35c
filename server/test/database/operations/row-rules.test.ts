import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Db, openDb } from "../../../src/db/db.ts";
import { createTestDatabase } from "../../support/test-app.ts";

const CHECK_VIOLATION = "23514";

/** For each table: the columns of a row that fits, and changes that the table's check must reject. */
const RULES: Record<string, { constraint: string; row: Record<string, string>; wrong: readonly string[] }> = {
  orders: {
    constraint: "orders_fit",
    row: {
      account_id: "'a'",
      order_number: "'0123456789'",
      order_position: "1",
      order_status: "'Processing'",
      stage: "'clinical_review'",
      workflow: "'automatic'",
      shipping_method_id: "1",
      signature_confirmation: "true",
      payer: "'patient'",
      payment_status: "'pending'",
      amount_cents: "1",
      sequence: "1",
      created_at: "now()",
      updated_at: "now()",
      stage_since: "now()",
      patient_key: "1",
    },
    wrong: [
      "order_number = '012345678'",
      "order_number = '012345678U'",
      "order_status = 'Done'",
      "order_status = 'Shipped'",
      "stage = 'later'",
      "stage = null",
      "order_status = 'On Hold', stage = null, held_from = 'Filling/fill'",
      "order_status = 'On Hold', stage = null, open_exceptions = 1, exception_ids = '{68}'",
      "order_status = 'On Hold', stage = null, held_from = 'Shipped', open_exceptions = 1, exception_ids = '{68}'",
      "order_status = 'On Hold', stage = null, held_from = 'Filling/fill', open_exceptions = 2, exception_ids = '{68}'",
      "held_from = 'Filling/fill'",
      "open_exceptions = 1, exception_ids = '{68}'",
      "exception_ids = '{68}'",
      "workflow = 'manual'",
      "label_format = 'GIF'",
      "payer = 'clinic'",
      "payment_status = 'lost'",
      "amount_cents = -1",
      "captured_cents = -1",
      "refunded_cents = 1",
      "refunded_cents = -1",
      "claimed_by = 'x'",
      "claimed_until = now()",
      "drug_schedule = '1'",
    ],
  },
  order_item: {
    constraint: "order_item_fit",
    row: {
      account_id: "'a'",
      order_number: "'0123456789'",
      item_id: "1",
      needs_prescription: "true",
      sku: "'s'",
      quantity: "1",
      package_size: "30",
      reserved: "false",
      price_cents: "0",
      alone: "false",
      patient_key: "1",
    },
    wrong: [
      "quantity = 0",
      "package_size = 0",
      "price_cents = -1",
      "lot = '', lot_expires_on = now()",
      "lot = 'A'",
      "lot_expires_on = now()",
    ],
  },
  prescription: {
    constraint: "prescription_fit",
    row: {
      account_id: "'a'",
      acceptance: "'accepted'",
      source: "'script'",
      intake_message_id: "1",
      sender: "'s'",
      sender_message_id: "'m'",
      received_at: "now()",
      expires_at: "now()",
      written_date: "now()",
      effective_date: "now()",
      drug_name: "'d'",
      written_qty: "30",
      refills: "1",
      drug_schedule: "'0'",
      daw: "false",
      details_sealed: "'\\x00000001'",
      written_sealed: "'\\x00000001'",
      patient_key: "1",
    },
    wrong: [
      "acceptance = 'maybe'",
      "source = 'fax'",
      "ndc = '123'",
      "written_qty = -1, units_ordered = -2",
      "days_supply = 0",
      "refills = -1",
      "refills = 100",
      "drug_schedule = '1'",
      "drug_schedule = '2'",
      "drug_schedule = '3', refills = 6",
      "units_ordered = -1",
      "units_ordered = 61",
      "written_sealed = null",
      "written_sealed = null, sig_text = 'take one'",
    ],
  },
  intake_message: {
    constraint: "intake_message_fit",
    row: {
      account_id: "'a'",
      format: "'script'",
      sender: "'s'",
      sender_message_id: "'m'",
      body_hash: "'\\x00'",
      body_sealed: "'\\x00000001'",
      received_at: "now()",
    },
    wrong: [
      "format = 'fax'",
      "state = 'lost'",
      "state = 'processed'",
      "outcome = 'accepted'",
      "processed_at = now()",
      "answer = 'x'",
      "answer_sealed = '\\x00000001'",
      "state = 'processed', outcome = 'lost', processed_at = now(), answer = 'x'",
      "state = 'processed', outcome = 'accepted', processed_at = now()",
    ],
  },
  stock_entry: {
    constraint: "stock_entry_fit",
    row: { account_id: "'a'", sku: "'s'", kind: "'received'", units: "1", at: "now()" },
    wrong: ["kind = 'lost'", "units = 0"],
  },
  stock: {
    constraint: "stock_check",
    row: { account_id: "'a'", sku: "'s'", on_hand_units: "1" },
    wrong: ["reserved_units = 2", "on_hand_units = -1"],
  },
  webhook_attempt: {
    constraint: "webhook_attempt_fit",
    row: {
      account_id: "'a'",
      event_id: "gen_random_uuid()",
      endpoint_id: "gen_random_uuid()",
      attempt: "1",
      at: "now()",
      delivery_status: "'delivered'",
      duration_ms: "1",
    },
    wrong: ["attempt = 0", "delivery_status = 'lost'", "duration_ms = -1"],
  },
  shipment: {
    constraint: "shipment_fit",
    row: {
      account_id: "'a'",
      order_number: "'0123456789'",
      shipment_id: "1",
      tracking_no: "'t'",
      carrier: "'c'",
      method: "'m'",
      status: "'in_transit'",
      shipped_at: "now()",
      label_format: "'PDF'",
      label_sealed: "'\\x00000001'",
    },
    wrong: ["status = 'eaten'", "status = 'delivered'", "delivered_at = now()", "label_format = 'GIF'"],
  },
  payment_entry: {
    constraint: "payment_entry_fit",
    row: {
      account_id: "'a'",
      order_number: "'0123456789'",
      payment_entry_id: "gen_random_uuid()",
      kind: "'capture'",
      amount_cents: "1",
      state: "'asked'",
      actor: "'x'",
      at: "now()",
    },
    wrong: ["kind = 'gift'", "state = 'lost'", "amount_cents = -1", "kind = 'refund'", "reason_id = 1"],
  },
};

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDb({ connection: { connectionString: database.url }, pool_size: 1, named_statements: true });
  await db.transaction(async (tx) => {
    // The rows need no account, patient or order.
    await tx.raw("set local session_replication_role = replica");
    for (const [table, { row }] of Object.entries(RULES)) {
      await tx.raw(`insert into ${table} (${Object.keys(row).join(", ")}) values (${Object.values(row).join(", ")})`);
    }
  });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** Without foreign keys, so that only the check can reject the row. */
const change = (table: string, changes: string) =>
  db.transaction(async (tx) => {
    await tx.raw("set local session_replication_role = replica");
    await tx.raw(`update ${table} set ${changes}`);
  });

describe.each(Object.entries(RULES))("%s rejects", (table, { constraint, wrong }) => {
  test.each(wrong)("%s", async (changes) => {
    await expect(change(table, changes)).rejects.toMatchObject({ code: CHECK_VIOLATION, constraint });
  });
});

test("the key id of a sealed value is its first four bytes", async () => {
  const { rows } = await db.raw(
    "select sealed_key_id('\\x01020304ff') as id, sealed_key_id('\\x00000007') as small, sealed_key_id(null) as none",
  );
  expect(rows).toEqual([{ id: 0x01020304, small: 7, none: null }]);
});
