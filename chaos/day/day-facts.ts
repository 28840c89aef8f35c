import type { ReportName } from "@pestle/contract";
import type { Page } from "playwright-core";
import { readCsv } from "../../server/src/domain/catalogue/csv.ts";
import { dateIn } from "../../server/src/domain/values/calendar.ts";
import type { Host, Year } from "../year/year-world.ts";
import type { DayFacts } from "./day-ledger.ts";

const LOTS = `
select l.account_id, l.sku, l.lot, l.on_hand_units::float8 as on_hand, l.filled_units::float8 as filled,
  l.returned_units::float8 as held_returns,
  exists (select from lot_quarantine q where q.environment = 'sandbox' and q.lot = l.lot and q.sku in ('', l.sku)) as quarantined,
  e.received, e.dispensed, e.returned, e.destroyed, e.returned_destroyed
from stock_lot l
cross join lateral (
  select coalesce(sum(units) filter (where kind = 'received'), 0)::float8 as received,
    coalesce(sum(units) filter (where kind = 'dispensed'), 0)::float8 as dispensed,
    coalesce(sum(units) filter (where kind = 'returned'), 0)::float8 as returned,
    coalesce(sum(units) filter (where kind = 'destroyed'), 0)::float8 as destroyed,
    coalesce(sum(units) filter (where kind = 'returned_destroyed'), 0)::float8 as returned_destroyed
  from stock_entry e
  where e.account_id = l.account_id and e.sku = l.sku and e.lot = l.lot) e
where l.account_id = any($1)
order by l.account_id, l.sku, l.lot`;
const SHELVES = `
select s.account_id, s.sku, s.on_hand_units::float8 as on_hand, s.reserved_units::float8 as reserved,
  (s.on_hand_units - s.lot_units)::float8 as loose
from stock s
where s.account_id = any($1)`;

/** What the database has, and what an inspector reads in the files of the reports. `page`: of a lead who is signed in. */
export async function readFacts(
  { deps, addresses, raw }: Host,
  years: readonly Year[],
  page: Page,
  begin: Date,
): Promise<DayFacts> {
  const accounts = years.map(({ book }) => book.account_id);
  const { rows: names } = await raw(
    "select a.account_id, p.name from account a join partner p using (partner_id) where a.account_id = any($1)",
    [accounts],
  );
  const account_of = new Map(names.map(({ name, account_id }) => [String(name), String(account_id)]));
  const zone = deps.config.TIME_ZONE;
  const days = `from=${dateIn(zone, begin)}&to=${dateIn(zone, deps.now())}`;
  const report = async (name: ReportName) => {
    const path = `/web/dashboard/reports/${name}/csv?environment=sandbox&${days}`;
    const answer = await page.request.get(`${addresses.base_url}${path}`);
    if (answer.status() !== 200) throw new Error(`the report ${name} got ${answer.status()}: ${await answer.text()}`);
    const [head, ...lines] = readCsv(await answer.text()).records.map(({ cells }) => cells);
    const rows = lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [head![at]!, cell])));
    return rows.filter(({ partner }) => account_of.has(partner!));
  };
  const lots = (await raw(LOTS, [accounts])).rows as (DayFacts["lots"][number] & DayFacts["lots"][number]["entries"])[];
  const balances = new Map(
    (await report("ledger")).map((row) => [
      `${row["partner"]} ${row["sku"]}`,
      {
        ...{ account_id: account_of.get(row["partner"]!)!, sku: row["sku"]! },
        ...{ on_hand: Number(row["balance"]), returned: Number(row["returned"]) },
      },
    ]),
  );
  return {
    lots: lots.map(({ received, dispensed, returned, destroyed, returned_destroyed, ...lot }) => ({
      ...lot,
      entries: { received, dispensed, returned, destroyed, returned_destroyed },
    })),
    shelves: (await raw(SHELVES, [accounts])).rows as DayFacts["shelves"],
    dispensing: (await report("dispensing")).map((row) => ({
      order_number: row["order_number"]!,
      units: Number(row["units"]),
      lots: row["lot"]!.split(", "),
    })),
    near_misses: (await report("errors"))
      .filter(({ kind }) => kind === "near miss")
      .map((row) => ({ order_number: row["order_number"]!, what: row["what"]! })),
    controlled: [...balances.values()],
  };
}
