import { readFunctions } from "../../../src/db/functions.ts";
import { placeOf } from "../../../src/db/operations/table-places.ts";
import { calls } from "../../../src/db/schema-rows.ts";

const NAME = /[a-z_][a-z0-9_]*/.source;
/** Where SQL starts in a part of a function: after `if … then`, `… loop`, `else` or `return query`. */
const FIRST_WORD =
  /(?:^|\b(?:then|loop|else|begin|query) )(select|perform|insert|update|delete|with|\w+ := (?=.*\bselect\b))/;

/**
 * The SQL statements in the functions of server/functions, with parameters in place of their arguments and
 * variables, so that the tests can check and plan them like any other statement.
 */
export function functionStatements(): string[] {
  return readFunctions().flatMap(({ name, text }) => {
    const plain = text.replaceAll(/--[^\n]*/g, "").replaceAll(/\s+/g, " ");
    const [, head, body] = /^(.*?) as \$\$ (.*) \$\$;/.exec(plain.trim())!;
    const named = [...Object.entries(calls[name as keyof typeof calls]), ...variables(head!, body!)];
    const values = new Map(named.map(([one, type], index) => [one, `$${index + 1}::${type}`]));
    return body!
      .replace(/^declare .*? begin /, "")
      .split(";")
      .flatMap((part) => sqlOf(part.trim(), [...values.keys()]))
      .map((statement) => withoutRecords(statement, records(body!)))
      .map((statement) => withValues(statement, name, values));
  });
}

/** The local variables, and the columns that the function returns. */
function variables(head: string, body: string): [name: string, type: string][] {
  const [, declared = ""] = /^declare (.*?) begin /.exec(body) ?? [];
  const returned = head.match(/\bout \w+ [^,)]*/g) ?? [];
  const typed = [...declared.split(";"), ...returned].flatMap((one) => {
    const [, name, type] = /^ *(?:out )?(\w+) ([a-z]+(?:\[\])?)/.exec(one) ?? [];
    return name === undefined ? [] : [[name, type] as [string, string]];
  });
  return [...typed, ["nth", "integer"], ["found", "boolean"]];
}

/** The local variables that hold a row. */
function records(body: string): string[] {
  const [, declared = ""] = /^declare (.*?) begin /.exec(body) ?? [];
  return [...declared.matchAll(/(?:^|; )(\w+) (\w+)(?=;)/g)]
    .filter(([, , type]) => type === "record" || placeOf(type!) !== undefined)
    .map(([, name]) => name!);
}

/** A column of such a row is a value of any type. */
const withoutRecords = (statement: string, names: readonly string[]): string =>
  names.length === 0
    ? statement
    : statement.replaceAll(new RegExp(`\\b(?:${names.join("|")})\\."?\\w+"?`, "g"), "null");

function sqlOf(part: string, names: readonly string[]): string[] {
  const found = FIRST_WORD.exec(part);
  if (found === null) return [];
  const sql = part.slice(part.indexOf(found[1]!, found.index));
  // A call that reads no table.
  if (/^perform \w+\(/.test(sql)) return [];
  const stored = new RegExp(`(?<!insert) into (?:strict )?(?:${names.join("|")})(?:, (?:${names.join("|")}))*\\b`);
  return [
    sql
      .replace(/^perform\b/, "select")
      .replace(/^\w+ := /, "select ")
      .replace(stored, ""),
  ];
}

function withValues(statement: string, name: string, values: ReadonlyMap<string, string>): string {
  const [columns] = /^insert into \w+(?: as \w+)? \([^)]*\)/.exec(statement) ?? [""];
  // Not `table.column`, and not the column that an assignment sets.
  const used = new RegExp(`(?<![\\w.$"'])(?:${name}\\.)?(${NAME})\\b(?! =|[\\w.("'])`, "g");
  const rest = statement.slice(columns.length).replaceAll(used, (all, one) => {
    const value = values.get(one);
    return value === undefined ? all : `(${value})`.replace(/^\((\$\d+::[a-z ]+)\)$/, "$1");
  });
  return numbered(columns + rest);
}

/** Parameters without gaps, as PostgreSQL wants them. `$1` stays the account. */
function numbered(statement: string): string {
  const used = [...new Set(statement.match(/\$\d+/g))].sort((a, b) => Number(b === "$1") - Number(a === "$1"));
  return statement.replaceAll(/\$\d+/g, (one) => `$${used.indexOf(one) + 1}`);
}
