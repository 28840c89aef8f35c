import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "../../support/test-app.ts";
import { DEMO_TEMPLATE, urlAs } from "../../support/test-cluster.ts";
import { allStatements } from "../../support/tools/all-statements.ts";
import { unboundTables } from "../../support/tools/unbound-tables.ts";

const PERMISSION_DENIED = "42501";

/** Statements, each by a part of its text, that read another index with the policies than without, and why that is fine. */
const EXEMPT: readonly (readonly [part: string, reason: string])[] = [];

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let owner: pg.Client;
let service: pg.Client;
let tenants: Set<string>;
beforeAll(async () => {
  database = await createTestDatabase(DEMO_TEMPLATE);
  const open = async (connectionString: string) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query("set plan_cache_mode = force_generic_plan");
    // The tables are small here. What matters is which indexes a statement can use.
    for (const scan of ["seqscan", "bitmapscan", "hashjoin", "mergejoin"]) await client.query(`set enable_${scan} = off`);
    return client;
  };
  owner = await open(database.url);
  service = await open(urlAs("service", database.url));
  // As if each table were large, and nothing were known of its values.
  await owner.query("delete from pg_statistic");
  await owner.query(
    "update pg_class set relpages = 1, reltuples = 100000 where relnamespace = 'public'::regnamespace and relkind = 'r'",
  );
  const { rows } = await owner.query(`
    select c.relname::text as name from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`);
  tenants = new Set(rows.map(({ name }) => name));
});
afterAll(async () => {
  await owner.end();
  await service.end();
  await database.drop();
});

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: Plan[];
};

/** How each table is read: the index, and the columns that it is searched by. */
function scans(plan: Plan): string[] {
  const { "Relation Name": table, "Index Name": index, "Index Cond": condition = "", Plans = [] } = plan;
  const columns = [...condition.matchAll(/\((?:\w+\.)?"?(\w+)"?(?:::\w+)? (?:=|<|>|<=|>=) /g)].map(([, column]) => column);
  // A partition is read like its table.
  const own = table === undefined ? [] : [`${table} by ${index ?? "all rows"} (${[...new Set(columns)].sort().join(", ")})`];
  return [...own, ...Plans.flatMap(scans)];
}

async function planOf(client: pg.Client, text: string): Promise<string[] | "not allowed"> {
  await client.query("deallocate all");
  try {
    await client.query(`prepare statement as ${text}`);
  } catch (error) {
    if ((error as pg.DatabaseError).code === PERMISSION_DENIED) return "not allowed";
    throw error;
  }
  const { rows } = await client.query("select cardinality(parameter_types) as count from pg_prepared_statements");
  const nulls = Array.from({ length: rows[0].count }, () => "null").join(", ");
  try {
    const answer = await client.query(
      `explain (costs off, format json) execute statement${nulls === "" ? "" : `(${nulls})`}`,
    );
    return scans(answer.rows[0]["QUERY PLAN"][0].Plan).sort();
  } catch (error) {
    if ((error as pg.DatabaseError).code === PERMISSION_DENIED) return "not allowed";
    throw error;
  }
}

test("every statement reads the same rows by the same indexes with the row-level policies as without", async () => {
  // A statement that is bound to no account runs as the jobs role, without these policies.
  const texts = (await allStatements()).filter(
    (text) => /^(with|select|insert|update|delete)\b/.test(text) && unboundTables(text, tenants).length === 0,
  );
  const differing: { text: string; without: string[]; with: string[] }[] = [];
  let compared = 0;
  for (const text of texts) {
    const secured = await planOf(service, text);
    // Only jobs run it.
    if (secured === "not allowed") continue;
    compared++;
    const plain = (await planOf(owner, text)) as string[];
    if (String(plain) !== String(secured)) differing.push({ text, without: plain, with: secured });
  }
  expect(compared).toBeGreaterThan(150);
  const unlisted = differing.filter(({ text }) => !EXEMPT.some(([part]) => text.includes(part)));
  expect(unlisted).toEqual([]);
  const idle = EXEMPT.filter(([part]) => !differing.some(({ text }) => text.includes(part)));
  expect(idle).toEqual([]);
}, 240_000);
