import { readFileSync } from "node:fs";
import type { Queryable } from "../../server/src/db/db.ts";

/** A defect of a function of the database, as a change of its text. The campaign must notice it. */
export type SeededBug = { bug: string; function: string; find: string; replace: string };

const inSaveOrder = (bug: string, find: string, replace: string): SeededBug => ({
  bug,
  function: "save_order",
  find,
  replace,
});

/** Defects that `races` puts into the database, one after another. */
export const seededBugs: readonly SeededBug[] = [
  inSaveOrder(
    "the guard on a prescription's units is missing",
    "and r.units_ordered = known_units_ordered[nth] and r.active",
    "and r.active",
  ),
  inSaveOrder(
    "an order takes a prescription's units twice",
    "r.units_ordered + prescription_units[nth]",
    "r.units_ordered + 2 * prescription_units[nth]",
  ),
  inSaveOrder(
    "an order takes no units of its prescription",
    "r.units_ordered + prescription_units[nth]",
    "r.units_ordered",
  ),
  inSaveOrder(
    "the guard against a second order of one body is missing",
    "    perform conflict_unless(found);\n  end if;\n\n  insert into orders (",
    "  end if;\n\n  insert into orders (",
  ),
  inSaveOrder(
    "an order reserves no stock",
    "set reserved_units = s.reserved_units + save_order.reserved_units[nth]",
    "set reserved_units = s.reserved_units",
  ),
  inSaveOrder(
    "a reservation is twice as large in the ledger",
    "'reserved', reserved_units[nth]",
    "'reserved', 2 * reserved_units[nth]",
  ),
  inSaveOrder(
    "the first item of an order is lost",
    "for nth in 1 .. cardinality(item_ids) loop",
    "for nth in 2 .. cardinality(item_ids) loop",
  ),
  inSaveOrder(
    "the first event of an order is lost",
    "for nth in 1 .. cardinality(event_ids) loop",
    "for nth in 2 .. cardinality(event_ids) loop",
  ),
  inSaveOrder(
    "events of an order go to another account",
    "values (account_id, event_ids[nth],",
    "values ((select max(a.account_id) from account a where a.account_id <> save_order.account_id), event_ids[nth],",
  ),
  inSaveOrder(
    "the exceptions of an order are lost",
    "if holds is not null then",
    "if holds is not null and false then",
  ),
  inSaveOrder("the history misses the creation", "actor, 'create', null,", "actor, 'raise_exception', null,"),
  inSaveOrder(
    "the history names another status",
    "'create', null, order_status, stage",
    "'create', null, 'Canceled', stage",
  ),
];

const textOf = (name: string) => readFileSync(new URL(`../../server/functions/${name}.sql`, import.meta.url), "utf8");

/** The function with the defect. */
export function withBug({ function: name, find, replace }: SeededBug): string {
  const parts = textOf(name).split(find);
  if (parts.length !== 2) throw new Error(`${name} has ${parts.length - 1} times: ${find}`);
  return parts.join(replace);
}

export const seedBug = (db: Queryable, bug: SeededBug) => db.raw(withBug(bug));
