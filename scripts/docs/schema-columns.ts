import { readFileSync } from "node:fs";

export type SchemaColumn = { table: string; column: string; type: string };

/** Every column of every table, from the checked-in copy of the schema. */
export function schemaColumns(): SchemaColumn[] {
  const text = readFileSync(new URL("../../server/migrations/schema.txt", import.meta.url), "utf8");
  return text.split("\n\n").flatMap((block) => {
    const [head = "", ...lines] = block.split("\n");
    if (head.startsWith("function ")) return [];
    const table = head.replace(/^(unlogged )?table /, "");
    return lines.flatMap((line) => {
      const [, column, type] = /^ {2}([a-z][a-z0-9_]*) ([a-z].*)$/.exec(line) ?? [];
      return column === undefined || type === undefined ? [] : [{ table, column, type: bareType(type) }];
    });
  });
}

const bareType = (type: string) => type.replace(/ (not null|default ).*$/s, "");
