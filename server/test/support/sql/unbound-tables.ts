/** One table in one part of a statement without a bound account_id. */
export type Unbound = { table: string; alias: string };

const NAME = "[a-z_][a-z0-9_]*";
const KEYWORDS =
  "set|where|on|join|left|cross|inner|lateral|from|order|group|limit|for|union|using|values|select|returning|as|and|end|then|desc";
const TABLE = new RegExp(
  `(?:\\b(?:from|join|update|using)|,) (${NAME})(?: (?:as )?(?!(?:${KEYWORDS})\\b)(${NAME}))?`,
  "g",
);
const SIDE = String.raw`((?:${NAME}\.)?account_id|any ?\(\$\d+[^)]*\)|\$\d+|\(select [^()]*'account_id'[^()]*\)|[a-z.>'-]*'account_id')`;
const COMPARED = new RegExp(`${SIDE} = ${SIDE}`, "g");

/**
 * The uses of tenant tables in a statement that are not bound to one account. A use is bound if, in the same select,
 * update or delete, its account_id is compared with a parameter, with the JSON argument, or with the account_id of a
 * bound row: another table of that part, or a row from outside of it (an outer part of the statement, a common table
 * expression), which is checked where it is defined.
 */
export function unboundTables(text: string, tables: ReadonlySet<string>): Unbound[] {
  const plain = text
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
  return partsOf(plain).flatMap((part) => unboundIn(part, tables));
}

/** The text of each pair of parentheses, and the whole, each without its nested selects. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  const open: string[] = [""];
  for (const character of text) {
    if (character === "(") open.push("");
    else if (character === ")") {
      const inner = open.pop()!;
      const isQuery = /^\s*(with|select|insert|update|delete|values)\b/.test(inner);
      if (isQuery) parts.push(...queriesOf(inner));
      // Keeps a value of the JSON argument: `= (select j->>'account_id' from given)`. A condition with "or" binds
      // nothing.
      const left_out = isQuery ? !/from given\s*$/.test(inner) : /\bor\b/.test(inner);
      open.push(`${open.pop()}${left_out ? "(…)" : `(${inner})`}`);
    } else open.push(open.pop() + character);
  }
  return [...parts, ...queriesOf(open.join(""))];
}

const queriesOf = (text: string) => text.split(/\bunion(?: all)?\b/);

function unboundIn(part: string, tables: ReadonlySet<string>): Unbound[] {
  const inserted = new RegExp(`\\binsert into (${NAME})(?: as ${NAME})? \\(([^)]*)\\)`).exec(part);
  const uses: Unbound[] = [];
  if (inserted && tables.has(inserted[1]!) && !/\baccount_id\b/.test(inserted[2]!)) {
    uses.push({ table: inserted[1]!, alias: "insert" });
  }
  const rest = inserted ? part.slice(inserted.index + inserted[0].length) : part;
  const found = [...rest.matchAll(TABLE)]
    .filter(([, table]) => tables.has(table!))
    .map(([, table, alias]) => ({ table: table!, alias: alias ?? table! }));
  if (found.length === 0) return uses;
  const bound = new Set<string>();
  const own = new Set(found.map(({ alias }) => alias));
  const pairs = / or /.test(rest) ? [] : [...rest.matchAll(COMPARED)].map(([, left, right]) => [left!, right!]);
  const aliasOf = (column: string) =>
    column.endsWith(".account_id") ? column.split(".")[0]! : column === "account_id" ? found[0]!.alias : null;
  for (let before = -1; before !== bound.size; ) {
    before = bound.size;
    for (const [left, right] of pairs) {
      const [a, b] = [aliasOf(left!), aliasOf(right!)];
      const anchored = (alias: string | null) => alias === null || !own.has(alias) || bound.has(alias);
      if (a !== null && own.has(a) && anchored(b)) bound.add(a);
      if (b !== null && own.has(b) && anchored(a)) bound.add(b);
    }
  }
  return [...uses, ...found.filter(({ alias }) => !bound.has(alias))];
}
