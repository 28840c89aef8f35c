import { fromPrimary, type Statement, statementOf } from "./db.ts";
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
  /** Several calls in one statement, one after the other. Each sees what the calls before it changed. */
  several(given: readonly Arguments<Name>[]): [statement: Statement<readonly unknown[], Row>, params: unknown[]];
};

type CallOptions<Row> = Pick<Statement<never, never>, "writes_events" | "announces"> & {
  /** The column's name, for a function that returns one value. */
  as?: keyof Row & string;
  /** The most calls in one statement. Each number of calls is a statement of its own, which each connection plans. */
  most?: number;
};

export function callOf<Name extends CallName, Row>(
  name: Name,
  { as, most = 1, ...effects }: CallOptions<Row> = {},
): Call<Name, Row> {
  const names = Object.keys(calls[name]) as (keyof Arguments<Name>)[];
  const values = (args: Arguments<Name>) => names.map((one) => args[one]);
  const textAt = (nth: number) => {
    const given = names.map((one, index) => `${String(one)} => $${nth * names.length + index + 1}`).join(", ");
    return as === undefined ? `select * from ${name}(${given})` : `select ${name}(${given}) as ${as}`;
  };
  /** PostgreSQL runs the parts of a `union all` in their order. */
  const textOf = (times: number) => Array.from({ length: times }, (_, nth) => textAt(nth)).join(" union all ");
  const statements = Array.from({ length: most }, (_, index) => ({
    // A function may write.
    ...fromPrimary(statementOf<readonly unknown[], Row>(textOf(index + 1))),
    ...effects,
  }));
  return {
    ...statements[0]!,
    values,
    several: (given) => [statements[given.length - 1]!, given.flatMap(values)],
  };
}
