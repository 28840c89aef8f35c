import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { schemaColumns } from "../../../../scripts/docs/schema-columns.ts";
import { blindTables, copiedBlindColumns } from "../../../src/db/operations/blind-columns.ts";
import { protectionOf, unknownColumns } from "../../../src/db/operations/column-protection.ts";

const columns = schemaColumns();

test("the schema's copy has columns of every kind", () => {
  expect(columns.length).toBeGreaterThan(400);
  expect(columns).toContainEqual({ table: "patient", column: "record_sealed", type: "bytea" });
  expect(columns).toContainEqual({ table: "orders", column: "exception_ids", type: "integer[]" });
});

test("every column of every table says how it is protected", () => {
  const open = columns.filter(({ table, column, type }) => protectionOf(table, column, type) === undefined);
  // Add a row to db/operations/column-protection.ts: seal what SQL need not read.
  expect(open.map(({ table, column }) => `${table}.${column}`)).toEqual([]);
});

test("no row of the table names a column that does not exist", () => {
  expect(unknownColumns(new Set(columns.map(({ table, column }) => `${table}.${column}`)))).toEqual([]);
});

test("a rotation of the index key renews every column with keyed hashes", () => {
  const blind = columns.filter(({ table, column, type }) => protectionOf(table, column, type) === "blind");
  const renewed = [
    ...Object.entries(blindTables).flatMap(([table, { renews }]) =>
      Object.keys(renews).map((column) => `${table}.${column}`),
    ),
    ...Object.entries(copiedBlindColumns).map(([table, column]) => `${table}.${column}`),
  ];
  // Add a row to db/operations/blind-columns.ts, and say in usecases/operations/rotate-index-key.ts how to compute it.
  const forgotten = blind.map(({ table, column }) => `${table}.${column}`).filter((name) => !renewed.includes(name));
  expect(forgotten).toEqual([]);
  const others = ["idempotent_answer.path", "idempotent_answer.body_sealed"];
  expect(renewed).toHaveLength(blind.length + others.length);
});

/** Where the vault's keyed hashes are used, and the column that a rotation renews for it; null if none is stored. */
const uses: Record<string, readonly (string | null)[]> = {
  "http/cursors.ts": [null, null],
  "http/partner-api.ts": ["idempotent_answer.path", "idempotent_answer.fingerprint"],
  "usecases/fulfillment/search-orders.ts": [null],
  "usecases/operations/rotate-index-key.ts": [null],
  "usecases/operations/seal-old-rows.ts": ["orders.reference_index"],
  "usecases/orders/load-order.ts": ["order_exception.basis"],
  "usecases/orders/order-rows.ts": ["orders.reference_index"],
  "usecases/orders/prepare-order.ts": ["order_fingerprint.fingerprint"],
  "usecases/orders/read-orders.ts": [null],
  "usecases/orders/save-change.ts": ["order_note.signature"],
  "usecases/patients/patient-rows.ts": [
    "patient.id_index",
    "patient.person_keys",
    "patient.name_dob_index",
    "patient_alias.alias_index",
  ],
  "usecases/patients/send-patient-messages.ts": ["sms_choice.phone_index"],
  "usecases/providers/twilio-reports.ts": ["sms_choice.phone_index"],
};

test("every use of a keyed hash is known to the rotation of the index key", () => {
  const root = new URL("../../../src/", import.meta.url);
  const found = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("vault"))
    .map((name) => [name, readFileSync(new URL(name, root), "utf8").match(/\b(blind|layered)Index\(/g)?.length ?? 0]);
  const known = Object.entries(uses).map(([name, columns]) => [name, columns.length]);
  expect(found.filter(([, count]) => count !== 0).sort()).toEqual(known.sort());
});

test("only bytes are sealed, and all sealed columns are bytes", () => {
  for (const { table, column, type } of columns) {
    const sealed = protectionOf(table, column, type) === "sealed";
    expect([`${table}.${column}`, sealed]).toEqual([
      `${table}.${column}`,
      column.endsWith("_sealed") && type === "bytea",
    ]);
  }
});
