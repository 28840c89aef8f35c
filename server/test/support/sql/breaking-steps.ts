/** Matches of a pattern in the statements of a migration, with the reason why a process of the earlier build would fail. */
type Rule = { step: RegExp; why: string; unless?: (match: RegExpMatchArray, all: string) => boolean };

/** A new table has no readers and no rows yet. */
const isNewTable = ([, table = ""]: RegExpMatchArray, all: string) =>
  new RegExp(`\\bcreate (unlogged )?table (if not exists )?${table}\\b`).test(all);
/** A constraint on columns that this migration adds: the earlier build leaves their defaults. */
const isOnNewColumns = ([whole, table = ""]: RegExpMatchArray, all: string) => {
  const names = [...(/\(([^)]*)\)/.exec(whole)?.[1] ?? "").matchAll(/[a-z_]+/g)].map(([name]) => name);
  const added = (name: string) =>
    new RegExp(`\\balter table ${table}\\b[^;]*\\badd column (if not exists )?${name}\\b`).test(all);
  return names.length > 0 && names.every(added);
};

const rules: readonly Rule[] = [
  {
    step: /\bdrop (table|view|materialized view|function|type|domain|sequence|schema)\b/g,
    why: "drops what the earlier build uses",
  },
  { step: /\bdrop column\b/g, why: "drops a column that the earlier build reads or writes" },
  { step: /\brename (column|to|[a-z_]+ to)\b/g, why: "renames what the earlier build calls by its old name" },
  {
    step: /\balter column \w+ (set data )?type\b/g,
    why: "changes a type: statements of the earlier build may not fit",
  },
  { step: /\balter column \w+ set not null\b/g, why: "refuses rows that the earlier build writes" },
  { step: /\balter column \w+ drop default\b/g, why: "the earlier build does not write the column" },
  {
    step: /\badd column (?:if not exists )?\w+ (?![^,;]*\b(?:default|generated)\b)[^,;]*\bnot null\b/g,
    why: "the earlier build does not write the column: give it a default",
  },
  {
    step: /\balter table (?:only )?(\w+)[^;]*?\badd (?:constraint \w+ )?(?:unique|primary key|foreign key|exclude|check)\b[^;]*/g,
    why: "refuses rows that the earlier build writes",
    unless: (match, all) =>
      isNewTable(match, all) ||
      isOnNewColumns([match[0].replace(/^.*?\badd (constraint \w+ )?\w+ ?(key)?/s, ""), match[1]!], all),
  },
  {
    step: /\bcreate unique index (?:\w+ )?on (?:only )?(\w+)[^;]*/g,
    why: "refuses rows that the earlier build writes",
    unless: (match, all) => isNewTable(match, all) || isOnNewColumns(match, all),
  },
  { step: /\b(truncate|revoke)\b/g, why: "takes away what the earlier build uses" },
];

/** Marks the half of a change that ends what earlier builds need, or a constraint that allows more than before. */
const CONTRACT = /^-- contract: needs \d{4}$/m;
const WIDER = /-- wider: [^\n]+\n[^;]*;/g;

/**
 * The steps of a migration after which a process of the earlier build fails. None in the half of a change that says from which
 * build on nothing needs what it ends (ADR 0092).
 */
export function breakingSteps(text: string): string[] {
  if (CONTRACT.test(text)) return [];
  const all = text
    .replaceAll(WIDER, "")
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/--[^\n]*/g, "")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .replaceAll(/\s+/g, " ")
    .toLowerCase();
  return rules.flatMap(({ step, why, unless }) =>
    [...all.matchAll(step)]
      .filter((match) => !unless?.(match, all))
      .map(([found]) => `${found.trim().slice(0, 80)}: ${why}`),
  );
}
