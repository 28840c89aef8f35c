import {
  type ControlledProduct,
  type LedgerRow,
  listControlledProducts,
  listLedger,
  loadOpeningUnits,
} from "../../../db/fulfillment/reports/controlled-ledger.ts";
import { stockEntryKinds } from "../../../domain/catalogue/stock.ts";
import { exact } from "../../../domain/values/quantity-units.ts";
import { merged } from "./merged.ts";
import {
  type Account,
  type Days,
  localTime,
  paged,
  type ReportDeps,
  type ReportLine,
  type ReportSource,
  ROWS_AT_ONCE,
} from "./report-source.ts";

const kindsThat = (on_hand: number): string[] =>
  Object.entries(stockEntryKinds).flatMap(([kind, effect]) => (effect.on_hand === on_hand ? kind : []));
/** Reserving units for an order moves none of them. */
const kinds = { added: kindsThat(1), taken: kindsThat(-1) };

/** Each entry of a controlled product that changed the units on hand. */
export const ledgerLines: ReportSource<"ledger"> = async function* (deps, account, days) {
  const products = await listControlledProducts(deps.db, account.account_id);
  yield* merged(products.map((product) => productLines(deps, account, product, days)));
};

async function* productLines(
  deps: ReportDeps,
  { account_id, name }: Account,
  { sku, name: product, drug_schedule }: ControlledProduct,
  { from, before }: Days,
): AsyncGenerator<ReportLine<"ledger">> {
  let balance = await loadOpeningUnits(deps.db, account_id, sku, kinds, from);
  const every = [...kinds.added, ...kinds.taken];
  const rows = paged((last: LedgerRow | null) =>
    listLedger(deps.db, account_id, sku, last?.stock_entry_id ?? 0, from, before, every, ROWS_AT_ONCE),
  );
  for await (const row of rows) {
    const units = exact(row.units * stockEntryKinds[row.kind].on_hand);
    balance = exact(balance + units);
    yield {
      at: row.at,
      account_id,
      patient_key: null,
      cells: {
        at: localTime(deps, row.at),
        partner: name ?? "",
        sku,
        product,
        schedule: drug_schedule,
        kind: row.kind,
        units: String(units),
        balance: String(balance),
        order_number: row.order_number ?? "",
        who: row.counted_by ?? "",
        note: [row.reason, row.note].filter((text) => text !== null && text !== "").join(": "),
      },
    };
  }
}
