import type { Statement } from "./db.ts";

/** One entry per statement in the code, as in `statements`. */
const labels = new Map<string, string>();

/**
 * What a span calls a statement: the function of the database, or what the statement does first and to which table. It is made from
 * the statement's constant text, so it contains no value.
 */
export function labelOf({ name, text }: Pick<Statement<never, unknown>, "name" | "text">): string {
  let label = labels.get(name);
  if (label === undefined) {
    label = labelIn(text);
    labels.set(name, label);
  }
  return label;
}

/** They belong to PostgreSQL and say nothing about the statement. */
const BUILT_IN = /^(jsonb?_\w+|unnest|generate_series|lateral|select|max|min|count|sum|coalesce|exists|array|nextval)$/;

function labelIn(text: string): string {
  const functions = text.matchAll(/^\s*select (\w+)\(|\b(?:from|join)\s+(\w+)\s*\(/g);
  const called = [...functions].map(([, first, later]) => first ?? later!).find((one) => !BUILT_IN.test(one));
  const [, verb, written] = /\b(insert into|update|delete from)\s+(?!set\b)(\w+)/.exec(text) ?? [];
  if (verb !== undefined) return `${verb.split(" ")[0]} ${written}`;
  if (called !== undefined) return called;
  const own = new Set([...text.matchAll(/(\w+)(?:\([^)]*\))? as (?:materialized )?\(/g)].map(([, name]) => name));
  const read = [...text.matchAll(/\b(?:from|join)\s+(\w+)\b(?!\s*\()/g)].find(
    ([, table]) => !own.has(table) && !BUILT_IN.test(table!),
  );
  return read === undefined ? "select" : `select ${read[1]}`;
}
