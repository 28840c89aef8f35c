import { WrongUsage } from "@pestle/cli/errors";
import { facts, minute, type Output, table } from "@pestle/cli/output";
import type { CommandRow } from "@pestle/cli/program";
import { countReasonNames, type DestructionReason, destructionReasonNames } from "@pestle/contract";
import { readConfig } from "../../config.ts";
import { findPerson } from "../../db/accounts/people.ts";
import { type ListedShelf, listShelves } from "../../db/catalogue/stock.ts";
import { listCounts } from "../../db/catalogue/stock-counts.ts";
import { loadShelvesWithLots } from "../../db/catalogue/stock-lots.ts";
import type { Db } from "../../db/db.ts";
import { readCell } from "../../domain/catalogue/cells.ts";
import { catalogueColumns } from "../../domain/catalogue/columns.ts";
import type { NamedLot } from "../../domain/catalogue/lot-moves.ts";
import type { Shelf } from "../../domain/catalogue/stock.ts";
import { exact } from "../../domain/values/quantity-units.ts";
import { AdminRefusal } from "../../usecases/accounts/admin-refusal.ts";
import { requireAccount } from "../../usecases/accounts/require-account.ts";
import { destroyStock } from "../../usecases/catalogue/destroy-stock.ts";
import { countStock, receiveStock, type StockCount } from "../../usecases/catalogue/move-stock.ts";
import { returnParcel } from "../../usecases/catalogue/return-parcel.ts";
import { checkedNote } from "../../usecases/operations/checked-note.ts";
import { AS, keptHere, signedInStaff } from "../accounts/staff-session.ts";
import { withSchema } from "../session.ts";

type ChangeOptions = { account: string; units: string; note?: string; reason?: string; as?: string; lot?: string };

const ACCOUNT = ["--account <account_id>", "the account, from `pestle partner list`", { required: true }] as const;
const NOTE = ["--note <text>", "a reason or document, on one line, without patient data"] as const;
const LOT = [
  "--lot <lot:expiry>",
  "the lot and its expiration date, such as L77A:2028-05-31; without it, unknown",
] as const;
const ENTRIES_SHOWN = 10;
const COUNTS_SHOWN = 100;

const changeCommand = (
  verb: "receive" | "count",
  summary: string,
  units: { meaning: string; none: boolean },
  change: (db: Db, given: StockCount, now: Date) => Promise<Shelf>,
  options: CommandRow["options"] = [],
  examples: readonly string[] = [],
): CommandRow => ({
  name: `stock ${verb}`,
  summary,
  argument: ["sku", "the product"],
  second_argument: ["units", units.meaning],
  options: [ACCOUNT, LOT, NOTE, ...options],
  examples: [
    `stock ${verb} atorvastatin-20 3000 --account 3f9k2m8x1q7z`,
    `stock ${verb} atorvastatin-20 3000 --account 3f9k2m8x1q7z --lot L77A:2028-05-31 --note "Packing slip 4471"`,
    ...examples,
  ],
  async run({ account, units: given, note, reason, as, lot }: ChangeOptions, sku, env) {
    const stock = {
      account_id: account,
      sku,
      units: readUnits(given, units.none),
      note: note === undefined ? null : checkedNote(note),
      lot: lot === undefined ? null : readLot(lot),
    };
    const shelf = await withSchema(readConfig(env), async ({ config, db, now }) => {
      // Only a controlled substance needs the person, so a count of others works without one.
      const signed_in = as !== undefined || keptHere(config, env).length > 0;
      const by = verb === "count" && signed_in ? await signedInStaff({ config, db, now: () => now }, env, as) : null;
      return change(db, { ...stock, by, reason: reason ?? null }, now);
    });
    return shelfOutput(shelf);
  },
});

function shelfOutput(shelf: Shelf): Output {
  const data = { ...shelf, available_units: exact(shelf.on_hand_units - shelf.reserved_units) };
  return {
    data,
    text: facts(Object.fromEntries(Object.entries(data).map(([name, value]) => [name, String(value)]))),
  };
}

type DestroyOptions = Pick<ChangeOptions, "account" | "units" | "note" | "as"> & {
  lot?: string;
  returned?: boolean;
  reason: DestructionReason;
  witness?: string;
};

export const stockCommands: readonly CommandRow[] = [
  changeCommand("receive", "record received units", { meaning: "how many arrived", none: false }, receiveStock),
  changeCommand(
    "count",
    "record a stock count; it cannot be below the reserved units",
    { meaning: "how many were counted", none: true },
    countStock,
    [["--reason <code>", "why a controlled substance differs from the ledger", { choices: countReasonNames }], AS],
    ['stock count zolpidem-5 2970 --account 3f9k2m8x1q7z --reason breakage --note "One bottle broke on delivery."'],
  ),
  {
    name: "stock counts",
    lists: "counts",
    summary: "list the counts of a controlled substance, with differences and reasons, newest first",
    argument: ["sku", "the product"],
    options: [ACCOUNT],
    examples: ["stock counts zolpidem-5 --account 3f9k2m8x1q7z"],
    async run({ account }: { account: string }, sku, env) {
      const counts = await withSchema(readConfig(env), async ({ db }) => {
        await requireAccount(db, account);
        return listCounts(db, account, sku, COUNTS_SHOWN);
      });
      const data = counts.map((count) => ({ ...count, difference: exact(count.counted_units - count.ledger_units) }));
      const rows = data.map((count) => [
        minute(count.at),
        String(count.counted_units),
        String(count.ledger_units),
        String(count.difference),
        count.reason ?? "-",
        count.explanation ?? "-",
        count.counted_by,
      ]);
      const head = ["when", "counted", "ledger", "difference", "reason", "explanation", "by"];
      return { data, text: rows.length === 0 ? "No counts yet." : table(head, rows) };
    },
  },
  {
    name: "stock lots",
    summary: "list the lots of a product that have units, the first to expire first",
    argument: ["sku", "the product"],
    options: [ACCOUNT],
    examples: ["stock lots atorvastatin-20 --account 3f9k2m8x1q7z"],
    async run({ account }: { account: string }, sku, env) {
      const [shelf] = await withSchema(readConfig(env), async ({ db }) => {
        await requireAccount(db, account);
        return loadShelvesWithLots(db, account, [sku]);
      });
      if (shelf === undefined) throw new AdminRefusal("The account has no such product.");
      const { lots, on_hand_units, lot_units, loose_filled_units } = shelf;
      const loose = exact(on_hand_units - lot_units);
      const rows = [
        ...lots.map((one) => [
          one.lot,
          one.expires_on,
          ...[one.on_hand_units, one.filled_units, one.returned_units].map(String),
          one.recalled ? "recalled" : "",
        ]),
        ...(loose === 0 ? [] : [["unknown", "-", String(loose), String(loose_filled_units), "-", ""]]),
      ];
      const head = ["lot", "expires", "on hand", "filled", "returned", ""];
      return { data: shelf, text: rows.length === 0 ? "No units." : table(head, rows) };
    },
  },
  {
    name: "stock return",
    summary: "book the units of a parcel that came back; they do not go back to the shelf",
    argument: ["order_number", "the order that the parcel belongs to"],
    options: [ACCOUNT, NOTE, AS],
    examples: ["stock return 7K2M9XQ4TB --account 3f9k2m8x1q7z"],
    async run({ account, note, as }: { account: string; note?: string; as?: string }, order_number, env) {
      const data = await withSchema(readConfig(env), async ({ config, db, now }) => {
        const deps = { config, db, now: () => now };
        const by = await signedInStaff(deps, env, as);
        const given = { account_id: account, order_number, note: note === undefined ? null : checkedNote(note) };
        return returnParcel(deps, by, given, null);
      });
      const rows = data.lines.map(({ sku, lot, units }) => [sku, lot ?? "-", String(units)]);
      return { data, text: table(["sku", "lot", "units"], rows) };
    },
  },
  {
    name: "stock destroy",
    summary: "record destroyed units; a controlled substance needs a pharmacist, a witness and a note",
    argument: ["sku", "the product"],
    second_argument: ["units", "how many were destroyed"],
    options: [
      ACCOUNT,
      ["--lot <lot>", "the lot; without it, the stock whose lot is unknown"],
      ["--returned", "the units are from parcels that came back"],
      ["--reason <code>", "why they were destroyed", { required: true, choices: destructionReasonNames }],
      ["--witness <email>", "another member of the staff who watched"],
      NOTE,
      AS,
    ],
    examples: [
      "stock destroy atorvastatin-20 30 --account 3f9k2m8x1q7z --lot L77A --reason expired",
      'stock destroy zolpidem-5 30 --account 3f9k2m8x1q7z --lot Z9 --returned --reason returned --witness bo@pestle.example --note "Form 41 of May 3"',
    ],
    async run(given: DestroyOptions, sku, env) {
      const { account, units, lot = null, returned = false, reason, witness, note, as } = given;
      const shelf = await withSchema(readConfig(env), async ({ config, db, now }) => {
        const deps = { config, db, now: () => now };
        const by = await signedInStaff(deps, env, as);
        const watched = witness === undefined ? null : await findPerson(db, witness);
        if (watched === undefined) throw new AdminRefusal("No user has the witness's email address.");
        const destroyed = {
          ...{ account_id: account, sku, units: readUnits(units, false), lot, returned, reason },
          note: note === undefined ? null : checkedNote(note),
          witness_id: watched?.person_id ?? null,
        };
        return destroyStock(deps, by, destroyed, null);
      });
      return shelfOutput(shelf);
    },
  },
  {
    name: "stock show",
    lists: "products, without a SKU",
    summary: "show units on hand, reserved and available, and a product's latest entries",
    argument: ["sku", "only this product", { optional: true }],
    options: [ACCOUNT],
    examples: ["stock show --account 3f9k2m8x1q7z", "stock show atorvastatin-20 --account 3f9k2m8x1q7z"],
    async run({ account }: { account: string }, sku, env) {
      const shelves = await withSchema(readConfig(env), async ({ db }) => {
        await requireAccount(db, account);
        return listShelves(db, account, sku === "" ? null : sku, ENTRIES_SHOWN);
      });
      if (sku === "") return allShelves(shelves);
      const [shelf] = shelves;
      if (shelf === undefined) throw new AdminRefusal("The account has no such product.");
      return oneShelf(shelf);
    },
  },
];

/** Parsed like the catalogue column: digits with up to three decimals. */
function readUnits(text: string, none: boolean): number {
  const [, on_hand_units] = catalogueColumns.stock;
  const units = on_hand_units?.accept(readCell("number", text));
  if (typeof units !== "number" || (units === 0 && !none)) {
    throw new WrongUsage(`Give the units as a number ${none ? "of at least 0" : "above 0"}, with at most 3 decimals.`);
  }
  return units;
}

function readLot(text: string): NamedLot {
  const [, lot, expires_on] = /^([^:]+):(\d{4}-\d{2}-\d{2})$/.exec(text) ?? [];
  if (lot === undefined || expires_on === undefined) {
    throw new WrongUsage("--lot takes the lot and its expiration date, such as L77A:2028-05-31.");
  }
  return { lot, expires_on };
}

function allShelves(shelves: readonly ListedShelf[]): Output {
  const rows = shelves.map(({ sku, on_hand_units, reserved_units, available_units, retired }) => [
    sku,
    ...[on_hand_units, reserved_units, available_units].map(String),
    retired ? "retired" : "",
  ]);
  const data = shelves.map(({ last_entries: _, ...shelf }) => shelf);
  return { data, text: table(["sku", "on hand", "reserved", "available", ""], rows) };
}

function oneShelf(shelf: ListedShelf): Output {
  const { sku, name, on_hand_units, reserved_units, available_units, retired, last_entries } = shelf;
  const about = facts({
    sku: retired ? `${sku} (retired)` : sku,
    name,
    on_hand: String(on_hand_units),
    reserved: String(reserved_units),
    available: String(available_units),
  });
  const rows = last_entries.map(({ at, kind, units, lot, order_number, reason, note }) => [
    minute(at),
    kind,
    String(units),
    lot ?? "-",
    order_number ?? "-",
    [reason ?? [], note ?? []].flat().join(": ") || "-",
  ]);
  const head = ["when", "entry", "units", "lot", "order", "note"];
  const entries = rows.length === 0 ? "No entries yet." : table(head, rows);
  return { data: shelf, text: `${about}\n\n${entries}` };
}
