import { expect, test } from "vitest";
import { schemaColumns } from "../../../../scripts/docs/schema-columns.ts";
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

test("only bytes are sealed, and all sealed columns are bytes", () => {
  for (const { table, column, type } of columns) {
    const sealed = protectionOf(table, column, type) === "sealed";
    expect([`${table}.${column}`, sealed]).toEqual([
      `${table}.${column}`,
      column.endsWith("_sealed") && type === "bytea",
    ]);
  }
});
