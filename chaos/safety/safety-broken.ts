import { exceptions, staffRoles, transitions } from "@pestle/contract";
import { type HoldFacts, orderHolds } from "../../server/src/domain/orders/order-holds.ts";
import type { World } from "../lifecycle/lifecycle-world.ts";

type Repair = () => Promise<void>;
type Break = (world: World) => Promise<Repair>;

/** Sets a field of a table's row, and returns how to set it back. */
function set(row: object, field: string, value: unknown): () => void {
  const fields = row as Record<string, unknown>;
  const before = fields[field];
  fields[field] = value;
  return () => {
    fields[field] = before;
  };
}

const inTables =
  (edit: () => (() => void)[]): Break =>
  async () => {
    const undo = edit();
    return async () => {
      for (const one of undo) one();
    };
  };

/** Changes what the database stores, as a fault in a statement would. */
const onPrescriptions =
  (change: string): Break =>
  async ({ deps: { db } }) => {
    const off = "drop trigger if exists broken_rule on prescription; drop function if exists broken_rule()";
    await db.raw(`
      create function broken_rule() returns trigger language plpgsql as $$ begin ${change}; return new; end $$;
      create trigger broken_rule before insert or update on prescription for each row execute function broken_rule()`);
    return async () => void (await db.raw(off));
  };

const hold = (id: number) => orderHolds.find((row) => row.id === id)!;
const always = { 74: exceptions[74], 75: exceptions[75] };

/**
 * Rules of safety, each broken on purpose where the service keeps it: in the contract's tables, in the table of holds, in
 * the safety tables, or in the database. The campaign must catch every one.
 */
export const brokenRules: Record<string, Break> = {
  "no step runs the checks again": inTables(() =>
    transitions.filter((row) => "checked" in row).map((row) => set(row, "checked", undefined)),
  ),
  "facts that arrive after the order do not count": inTables(() =>
    [74, 75].map((id) => set(hold(id), "judged", "at_creation")),
  ),
  "a partner can confirm a drug interaction": inTables(() =>
    Object.values(always).map((row) =>
      set(row, "actions", ["cancel", "confirm_address", "confirm_not_duplicate", "release"]),
    ),
  ),
  "a finding ends when its cause is gone": inTables(() =>
    Object.values(always).map((row) => set(row, "who_acts", "partner")),
  ),
  "any staff member can override a finding": inTables(() =>
    Object.values(always).map((row) => set(row, "overridden_by", "operator")),
  ),
  "an order ignores the end of its prescription": inTables(() => {
    const { basis } = hold(73);
    const ignored = (facts: HoldFacts) =>
      basis({ ...facts, items: facts.items.map((item) => ({ ...item, rx_ended: false })) });
    return [set(hold(73), "basis", ignored)];
  }),
  "a canceled prescription stays active": onPrescriptions("new.active := true"),
  "prescriptions do not expire": onPrescriptions(
    "new.expires_at := '2199-01-01'; new.written_date := greatest(new.written_date, new.received_at::date)",
  ),
  "fills are not counted": onPrescriptions("new.units_ordered := 0"),
  "several fills of a controlled drug are one": inTables(() => [set(hold(72), "basis", () => null)]),
  "another patient's name does not matter": inTables(() => {
    const { basis } = hold(71);
    const ignored = (facts: HoldFacts) =>
      basis({ ...facts, at_creation: facts.at_creation && { ...facts.at_creation, name_differs: false } });
    return [set(hold(71), "basis", ignored)];
  }),
  "an expired license counts": async ({ deps: { db } }) => {
    await db.raw("update person set license_expires_on = '2199-12-31' where license_number is not null");
    // The next run hires the staff anew.
    return async () => {};
  },
  "an admin is a pharmacist": inTables(() => [set(staffRoles, "admin", [...staffRoles.admin, "pharmacist"])]),
  "the tables know no interactions": async ({ deps }) => {
    const { safety } = deps;
    const undo = set(deps, "safety", {
      ...safety,
      current: () => {
        const tables = safety.current();
        return "data" in tables ? { data: { ...tables.data, interactions: new Map() } } : tables;
      },
    });
    return async () => undo();
  },
};
