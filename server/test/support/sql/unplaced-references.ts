import { placeOf } from "../../../src/db/operations/table-places.ts";

/**
 * Foreign keys from a new table of accounts to a table of accounts, in the migration that creates it. On several servers the
 * table goes to its place after its migration, and Citus accepts such a key only then (ADR 0098).
 */
export function unplacedReferences(text: string, place: (table: string) => string | undefined = placeOf): string[] {
  const all = text
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\s+/g, " ");
  const statements = all.split(";").map((one) => one.trim());
  const created = statements.flatMap((one) => /^create table (?:if not exists )?(\w+)/.exec(one)?.[1] ?? []);
  return statements.flatMap((one) => {
    const [, table = ""] = /^(?:create|alter) table (?:if not exists |only )*(\w+)/.exec(one) ?? [];
    if (!created.includes(table) || place(table) !== "account") return [];
    const parents = [...one.matchAll(/\breferences (\w+)/g)].map(([, parent = ""]) => parent);
    return parents.filter((parent) => place(parent) === "account").map((parent) => `${table} refers to ${parent}`);
  });
}
