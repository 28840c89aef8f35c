import { readFileSync } from "node:fs";
import type { endpoints, Static, WebhookBody as TableBody } from "@pestle/contract";
import { expect, test } from "vitest";
import type { Operations, Sent, WebhookBody } from "../src/index.ts";

/*
 * The generated types and those that the contract computes from its tables describe the same values: each is assignable
 * to the other. The compiler checks it.
 */
type Row = Extract<(typeof endpoints)[number], { readonly server: "partner" }>;
type RowOf<Id> = Extract<Row, { readonly operation_id: Id }>;
type SchemaOf<Part> = Part extends { readonly schema: infer S } ? Static<S> : undefined;
type Tables<Nulls> = {
  // The rows of a schedule's actions come from one function and share their types with `getRefillSchedule`.
  [Id in keyof Operations]: [RowOf<Id>] extends [never] ? Generated[Id] : FromRow<RowOf<Id>, Nulls>;
};
type FromRow<R extends Row, Nulls> = {
  // A partner can send null in an optional field.
  body: R extends { readonly body: infer Body }
    ? Nulls extends true
      ? Sent<SchemaOf<Body>>
      : SchemaOf<Body>
    : undefined;
  answers: { [Status in keyof R["responses"]]: SchemaOf<R["responses"][Status]> };
  query: R extends { readonly query: infer Query }
    ? { [Name in keyof Query]?: Static<Query[Name]> | undefined }
    : Record<never, never>;
};
type Generated = { [Id in keyof Operations]: Pick<Operations[Id], "body" | "answers" | "query"> };

const fromTables = (tables: Tables<false>): Generated => tables;
const toTables = (generated: Generated): Tables<true> => generated;
const bodyFromTables = (body: TableBody): WebhookBody => body;
const bodyToTables = (body: WebhookBody): TableBody => body;

test("the generated types are those of the contract, and an editor shows what each field means", () => {
  for (const same of [fromTables, toTables, bodyFromTables, bodyToTables]) expect(same).toBeTypeOf("function");
  const text = readFileSync(new URL("../src/generated/records.ts", import.meta.url), "utf8");
  const lines = text.split("\n");
  const fields = lines
    .map((line, index) => ({ line, before: lines[index - 1] ?? "" }))
    .filter(({ line }) => /^ {2}\w+\??: [^{]/.test(line));
  const bare = fields.filter(({ before }) => !before.endsWith("*/"));
  expect(fields.length).toBeGreaterThan(500);
  // A field whose type has a name shows what that type means.
  expect(bare.filter(({ line }) => /: (string|number|boolean)\b/.test(line)).map(({ line }) => line.trim())).toEqual(
    [],
  );
});
