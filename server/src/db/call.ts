import { type Statement, statementOf } from "./db.ts";
import { calls } from "./schema-rows.ts";
import type { Bytes, Instant } from "./values.ts";

/** The values that the driver sends for an argument of a type. */
type Sent = {
  bigint: number;
  boolean: boolean;
  bytea: Bytes | Buffer;
  date: string;
  integer: number;
  /** As text. */
  jsonb: string;
  numeric: number;
  text: string;
  "timestamp with time zone": Instant;
  uuid: string;
};
type Argument<Type> = Type extends `${infer One extends keyof Sent}[]`
  ? readonly (Sent[One] | null)[]
  : Type extends keyof Sent
    ? Sent[Type]
    : never;

type CallName = keyof typeof calls;
/** The arguments of a function in server/functions, by name. */
export type Arguments<Name extends CallName> = {
  [One in keyof (typeof calls)[Name]]: Argument<(typeof calls)[Name][One]> | null;
};

/** A call of a function in server/functions. */
export type Call<Name extends CallName, Row> = Statement<readonly unknown[], Row> & {
  /** The arguments in the order of the statement's parameters. */
  values(given: Arguments<Name>): unknown[];
};

type CallOptions<Row> = Pick<Statement<never, never>, "writes_events" | "announces"> & {
  /** The column's name, for a function that returns one value. */
  as?: keyof Row & string;
};

export function callOf<Name extends CallName, Row>(
  name: Name,
  { as, ...effects }: CallOptions<Row> = {},
): Call<Name, Row> {
  const names = Object.keys(calls[name]) as (keyof Arguments<Name>)[];
  const given = names.map((one, index) => `${String(one)} => $${index + 1}`).join(", ");
  const text = as === undefined ? `select * from ${name}(${given})` : `select ${name}(${given}) as ${as}`;
  return {
    ...statementOf<readonly unknown[], Row>(text),
    ...effects,
    values: (args) => names.map((one) => args[one]),
  };
}
