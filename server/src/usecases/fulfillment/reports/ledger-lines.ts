import {
  type ControlledProduct,
  type LedgerKinds,
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

type Balance = "on_hand" | "returned";
const kindsThat = (balance: Balance, effect: number): string[] =>
  Object.entries(stockEntryKinds).flatMap(([kind, effects]) => (effects[balance] === effect ? kind : []));
const kindsOf = (balance: Balance): LedgerKinds => ({ added: kindsThat(balance, 1), taken: kindsThat(balance, -1) });
/** Reserving units for an order changes neither balance. */
const kinds = { on_hand: kindsOf("on_hand"), returned: kindsOf("returned") };
const every = Object.values(kinds).flatMap(({ added, taken }) => [...added, ...taken]);

/** Each entry of a controlled product that changed the units on hand or the returned ones. */
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
  let on_hand = await loadOpeningUnits(deps.db, account_id, sku, kinds.on_hand, from);
  let returned = await loadOpeningUnits(deps.db, account_id, sku, kinds.returned, from);
  const rows = paged((last: LedgerRow | null) =>
    listLedger(deps.db, account_id, sku, last?.stock_entry_id ?? 0, from, before, every, ROWS_AT_ONCE),
  );
  for await (const row of rows) {
    const effect = stockEntryKinds[row.kind];
    on_hand = exact(on_hand + row.units * effect.on_hand);
    returned = exact(returned + row.units * effect.returned);
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
        kind: row.kind.replace("_", " "),
        lot: row.lot ?? "",
        // A kind changes one of the two.
        units: String(exact(row.units * (effect.on_hand + effect.returned))),
        balance: String(on_hand),
        returned: String(returned),
        order_number: row.order_number ?? "",
        who: row.who ?? "",
        witness: row.witness ?? "",
        note: [row.reason, row.note].filter((text) => text !== null && text !== "").join(": "),
      },
    };
  }
}
