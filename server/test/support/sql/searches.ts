import type pg from "pg";

/** How a plan reads each table: the columns that an index is searched by. */
export type Searches = [table: string, columns: string[]][];

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Cond"?: string;
  Plans?: Plan[];
};

const PERMISSION_DENIED = "42501";

/** A week of events counts as its table. */
export const tableOf = (name: string) => name.replace(/_(\d{8}|default)$/, "");

function searches(plan: Plan, parent = ""): Searches {
  const { "Relation Name": own, "Index Cond": condition, Plans = [] } = plan;
  const table = tableOf(own ?? parent);
  const columns = [...(condition ?? "").matchAll(/\(\(?(?:\w+\.)?"?(\w+)"?(?:\)?::\w+)?\)? (?:=|<|>|<=|>=|@>|&&) /g)];
  const found = columns.map(([, column]) => column!);
  return [
    ...(condition === undefined ? [] : [[table, found] as [string, string[]]]),
    ...Plans.flatMap((one) => searches(one, own ?? "")),
  ];
}

/** The searches of the first plan in these tables that the second has not, or only with fewer columns. */
export function lostSearches(before: Searches, after: Searches, tables: ReadonlySet<string>): string[] {
  const kept = (table: string, columns: string[]) =>
    after.some(([other, found]) => other === table && columns.every((column) => found.includes(column)));
  // An empty table is read in any way.
  const missing = before.filter(([table, columns]) => tables.has(table) && !kept(table, columns));
  return [...new Set(missing.map(([table, columns]) => `${table} (${columns.join(", ")})`))];
}

/** A statement that a connection has prepared, with the types of its arguments. */
export type Prepared = { client: pg.Client; name: string; types: string[] };

/** Prepares a statement as `name`, or returns "not allowed" if the role may not run it. */
export async function prepare(client: pg.Client, text: string, name = "statement"): Promise<Prepared | "not allowed"> {
  try {
    await client.query(`prepare ${name} as ${text}`);
    const { rows } = await client.query<{ types: string[] }>(
      "select parameter_types::text[] as types from pg_prepared_statements where name = $1",
      [name],
    );
    const prepared = { client, name, types: rows[0]!.types };
    // PostgreSQL checks the rights when it starts the plan.
    await explain(prepared);
    return prepared;
  } catch (error) {
    if ((error as pg.DatabaseError).code === PERMISSION_DENIED) return "not allowed";
    throw error;
  }
}

/** The plan of a statement with the settings of its connection. `argumentOf` gives an argument by its type. */
export async function explain(
  { client, name, types }: Prepared,
  argumentOf: (type: string) => string = () => "null",
): Promise<Searches> {
  const values = types.map(argumentOf).join(", ");
  const answer = await client.query(`explain (format json) execute ${name}${values === "" ? "" : `(${values})`}`);
  return searches(answer.rows[0]["QUERY PLAN"][0].Plan);
}

/** The plan of a statement that is prepared for this alone. */
export async function searchesOf(client: pg.Client, text: string): Promise<Searches | "not allowed"> {
  await client.query("deallocate all");
  const prepared = await prepare(client, text);
  return prepared === "not allowed" ? prepared : explain(prepared);
}
