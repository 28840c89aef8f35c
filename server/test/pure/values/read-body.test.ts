import {
  AddressInput,
  actionBody,
  actionKeys,
  endpoints,
  FailedRedeliveryRequest,
  IdentityDocumentInput,
  type JsonSchema,
  OrderRequest,
  PatientUpdate,
  RedeliveryRequest,
  ReorderRequest,
  reading,
  SimulatedPatient,
  WebhookEndpointInput,
  WebhookEndpointUpdate,
  WebhookTestRequest,
} from "@pestle/contract";
import { describe, expect, test } from "vitest";
import { readBody } from "../../../src/domain/values/read-body.ts";

/** The bodies that the server reads with their rows. */
const bodies: Record<string, JsonSchema> = {
  AddressInput,
  IdentityDocumentInput,
  PatientUpdate,
  OrderRequest,
  ReorderRequest,
  ...Object.fromEntries(actionKeys.map((event) => [`action ${event}`, actionBody(event)])),
  WebhookEndpointInput,
  WebhookEndpointUpdate,
  WebhookTestRequest,
  RedeliveryRequest,
  FailedRedeliveryRequest,
  SimulatedPatient,
};

/** A value of each JSON type; a field rejects those of another type. Null in an optional field means absent. */
const samples: Record<string, unknown> = { null: null, boolean: true, number: 1, string: "x", array: [], object: {} };
const typesOf = (row: JsonSchema) => [row["type"]].flat().map((type) => (type === "integer" ? "number" : type));
const wrongFor = ({ row, optional }: Row) =>
  Object.entries(samples).flatMap(([type, value]) =>
    typesOf(row).includes(type) || (optional && value === null) ? [] : [value],
  );

type Row = { path: (string | number)[]; row: JsonSchema; optional: boolean };
const rowsOf = (schema: JsonSchema): [string, JsonSchema][] => Object.entries(schema["properties"] as object);

/** Every field of a body at any depth; a list is represented by its first entry. */
function rowsBelow(row: JsonSchema, path: Row["path"] = []): Row[] {
  if (typesOf(row).includes("object")) {
    const required = (row["required"] ?? []) as string[];
    return rowsOf(row).flatMap(([name, below]) => [
      { path: [...path, name], row: below, optional: !required.includes(name) },
      ...rowsBelow(below, [...path, name]),
    ]);
  }
  if (!typesOf(row).includes("array")) return [];
  const items = row["items"] as JsonSchema;
  return [{ path: [...path, 0], row: items, optional: false }, ...rowsBelow(items, [...path, 0])];
}

/** A body with only that value at that path. */
const bodyWith = ([first, ...rest]: Row["path"], value: unknown): unknown => {
  if (first === undefined) return value;
  const below = bodyWith(rest, value);
  return first === 0 ? [below] : { [first]: below };
};
const placeOf = (path: Row["path"]) => path.join(".").replaceAll(".0", "[0]");

/** What the table promises: the row's code, or that of the first required field of an object. */
function promised({ path, row }: Pick<Row, "path" | "row">): { code: number; field: string } {
  const [needed] = (row["required"] ?? []) as string[];
  const code = row[reading]?.code;
  if (code !== undefined || needed === undefined) return { code: code ?? 42200, field: placeOf(path) };
  return promised({ path: [...path, needed], row: Object.fromEntries(rowsOf(row))[needed]! });
}

const refusals = (schema: JsonSchema, sent: unknown) =>
  readBody(schema, sent as Record<string, unknown>).problems.map(({ code, field }) => `${code} ${field}`);

describe.each(Object.entries(bodies))("%s", (_, schema) => {
  test.each(rowsBelow(schema).map((row) => [placeOf(row.path), row] as const))(
    "%s of another type is rejected with the code of its row",
    (__, row) => {
      const { code, field } = promised(row);
      for (const wrong of wrongFor(row)) {
        expect(refusals(schema, bodyWith(row.path, wrong))).toContain(`${code} ${field}`);
      }
    },
  );

  test("null in an optional field means absent, and in a required one that it is missing", () => {
    for (const { path, row, optional } of rowsBelow(schema)) {
      const found = (value: unknown) =>
        readBody(schema, bodyWith(path, value) as Record<string, unknown>).problems.map(({ field }) => field);
      if (optional) expect(found(null), placeOf(path)).toEqual(found(undefined));
      else if (path.at(-1) !== 0) expect(found(null), placeOf(path)).toContain(promised({ path, row }).field);
    }
  });

  test("a missing required field is rejected, and no other field is required", () => {
    const needed = (schema["required"] ?? []) as string[];
    const expected = rowsOf(schema)
      .filter(([name]) => needed.includes(name))
      .map(([name, row]) => promised({ path: [name], row }));
    expect(refusals(schema, {})).toEqual(expected.map(({ code, field }) => `${code} ${field}`));
  });

  test("an unknown field is 42200 at every depth", () => {
    const objects = [{ path: [], row: schema }, ...rowsBelow(schema)].filter(({ row }) =>
      typesOf(row).includes("object"),
    );
    for (const { path } of objects) {
      expect(refusals(schema, bodyWith([...path, "adress"], 1))).toContain(`42200 ${placeOf([...path, "adress"])}`);
    }
  });
});

test("an operation lists every code of its body", () => {
  for (const endpoint of endpoints) {
    const body = "body" in endpoint ? (endpoint.body.schema as JsonSchema) : undefined;
    if (body === undefined || !Object.values(bodies).includes(body)) continue;
    const codes = rowsBelow(body).map(({ row }) => row[reading]?.code ?? 42200);
    expect(endpoint.codes, endpoint.operation_id).toEqual(expect.arrayContaining([...new Set(codes)]));
  }
});
