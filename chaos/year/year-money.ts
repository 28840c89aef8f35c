import type { Order, Statement, StatementLine, StatementTotals } from "@pestle/contract";
import type { useCardProvider } from "../../server/test/support/card-provider.ts";
import { until } from "../until.ts";
import { type Book, count, grouped, pricesAt } from "./year-book.ts";
import { readAll, type Year } from "./year-world.ts";

export type Cards = ReturnType<typeof useCardProvider>;

type Row = { line_id: string; payer: string; kind: string; amount_cents: number; order_number: string | null };
type Month = Statement & { lines: StatementLine[] };

const TOTALS: Record<string, keyof StatementTotals> = {
  item: "items_cents",
  shipment: "shipping_cents",
  fee: "fees_cents",
  refund: "refunds_cents",
  credit: "credits_cents",
};

/**
 * Statements, ledger, payments and the card processor's own book must agree to the cent, per order and in total, with what
 * the partner's book expects: the price on the day of each order, and the refunds that the partner asked for.
 */
export async function moneyFaults(year: Year, cards: Cards, orders: readonly Order[]): Promise<string[]> {
  const { host, book } = year;
  const months: Month[] = [];
  for (const statement of await readAll<Statement>(year, "/statements", "statements")) {
    const lines = await readAll<StatementLine>(year, `/statements/${statement.month}`, "lines");
    months.push({ ...statement, lines });
  }
  const { rows: ledger } = await host.raw(
    `select source_id || '-' || line_no as line_id, payer, kind, amount_cents, order_number
    from money_entry
    where account_id = $1`,
    [book.account_id],
  );
  // A job sends what the last change asked for.
  const pending = "select 1 from payment_entry where account_id = $1 and state <> 'done'";
  await until("payments are sent", async () => (await host.raw(pending, [book.account_id])).rows.length === 0).catch(
    (error: Error) => book.faults.push(error.message),
  );
  const { rows: entries } = await host.raw(
    "select order_number, kind, amount_cents, state from payment_entry where account_id = $1",
    [book.account_id],
  );
  const lines = months.flatMap((month) => month.lines);
  count(book, "statements", months.length);
  count(book, "lines of statements", lines.length);
  return [
    ...months.flatMap(monthFaults),
    ...ledgerFaults(lines, ledger as unknown as Row[]),
    ...adjustmentFaults(book, lines),
    ...orderFaults(book, orders, lines, entries as unknown as Entry[], cards),
    ...(await closedFaults(year)),
  ];
}

const sum = <One>(from: readonly One[], cents: (one: One) => number) => from.reduce((all, one) => all + cents(one), 0);

function monthFaults({ month, from, to, line_count, due_cents, totals, lines }: Month): string[] {
  const faults: string[] = [];
  const differs = (what: string, shown: number, added: number) => {
    if (shown !== added) faults.push(`statement ${month}: ${what} is ${shown}, and its lines add up to ${added}`);
  };
  differs("line_count", line_count, lines.length);
  for (const payer of ["partner", "patient"] as const) {
    const own = lines.filter((line) => line.payer === payer);
    differs(
      `total of ${payer}`,
      totals[payer].total_cents,
      sum(own, ({ amount_cents }) => amount_cents),
    );
    for (const [kind, field] of Object.entries(TOTALS)) {
      const of_kind = own.filter((line) => line.kind === kind);
      differs(
        `${field} of ${payer}`,
        totals[payer][field],
        sum(of_kind, ({ amount_cents }) => amount_cents),
      );
    }
    if (payer === "partner")
      differs(
        "due_cents",
        due_cents,
        sum(own, ({ amount_cents }) => amount_cents),
      );
  }
  const outside = lines.filter(({ booked_at }) => booked_at < from || booked_at >= to);
  if (outside.length > 0) faults.push(`statement ${month}: ${outside.length} lines of another month`);
  return faults;
}

const shapeOf = ({ payer, kind, amount_cents, order_number }: Row | StatementLine) =>
  JSON.stringify([payer, kind, amount_cents, order_number]);

function ledgerFaults(lines: readonly StatementLine[], ledger: readonly Row[]): string[] {
  const shown = new Map(lines.map((line) => [line.line_id, shapeOf(line)]));
  const faults = ledger.filter((row) => shown.get(row.line_id) !== shapeOf(row));
  return [
    ...(faults.length > 0 ? [`${faults.length} lines of the ledger differ from the statements`] : []),
    ...(shown.size !== lines.length ? ["a line is in two statements"] : []),
    ...(ledger.length !== lines.length
      ? [`the ledger has ${ledger.length} lines, the statements ${lines.length}`]
      : []),
  ];
}

/** The fees and credits of the pharmacy, and no others. */
function adjustmentFaults({ adjustments }: Book, lines: readonly StatementLine[]): string[] {
  const own = lines.filter(({ kind }) => kind === "fee" || kind === "credit");
  const shown = new Map(own.map((line) => [line.line_id, shapeOf(line)]));
  const missing = adjustments.filter(
    ({ line_id, ...line }) => shown.get(line_id) !== shapeOf({ ...line, line_id, payer: "partner" }),
  );
  return [
    ...(missing.length > 0 ? [`${missing.length} fees or credits are not in the statements`] : []),
    ...(own.length !== adjustments.length ? ["a fee or a credit that nobody booked"] : []),
  ];
}

type Entry = { order_number: string; kind: string; amount_cents: number; state: string };

function orderFaults(
  book: Book,
  orders: readonly Order[],
  lines: readonly StatementLine[],
  entries: readonly Entry[],
  { cards }: Cards,
): string[] {
  const faults: string[] = [];
  const group = <One extends { order_number: string | null }>(all: readonly One[]) =>
    grouped(all, ({ order_number }) => order_number);
  const of_lines = group(lines.filter(({ kind }) => kind !== "fee" && kind !== "credit"));
  const of_entries = group(entries);
  const of_refunds = group(book.refunds);
  const of_cards = grouped(cards.values(), ({ key }) => key.slice(0, key.indexOf("-")));
  const total = { lines: 0, entries: 0, cards: 0 };
  for (const order of orders) {
    const { order_number, order_status, payment, shipping, items } = order;
    const differs = (what: string, shown: number, expected: number | readonly number[]) => {
      const allowed = typeof expected === "number" ? [expected] : expected;
      if (!allowed.includes(shown)) faults.push(`${what} of an order: ${shown} instead of ${allowed.join(" or ")}`);
    };
    const at = new Date(order.created_at);
    const shipped = order_status === "Shipped" || order_status === "Delivered";
    const own = of_lines.get(order_number) ?? [];
    const cents = (kind: string) =>
      sum(
        own.filter((line) => line.kind === kind),
        (line) => line.amount_cents,
      );
    for (const { item_id, sku, quantity } of shipped ? items : []) {
      const line = own.find((one) => one.kind === "item" && one.item_id === item_id);
      differs(
        "price",
        line?.amount_cents ?? 0,
        pricesAt(book, sku!, at).map((price) => price * quantity),
      );
    }
    differs("shipping price", cents("shipment"), shipped ? pricesAt(book, `method ${shipping.method_id}`, at) : 0);
    if (!shipped && own.length > 0) faults.push("an order that never shipped has lines");
    const refunded = sum(of_refunds.get(order_number) ?? [], ({ amount_cents }) => amount_cents);
    differs("refunds in the statements", -cents("refund"), refunded);
    differs("refunded_cents", payment.refunded_cents, refunded);
    const charged = cents("item") + cents("shipment");
    if (shipped) differs("amount_cents", payment.amount_cents, charged);
    const paid = (kind: string) =>
      sum(
        (of_entries.get(order_number) ?? []).filter((one) => one.kind === kind),
        (one) => one.amount_cents,
      );
    differs("captures", paid("capture"), charged);
    differs("refund entries", paid("refund"), refunded);
    // A card that was declined at the capture is replaced by another one.
    const own_cards = of_cards.get(order_number) ?? [];
    const by_card = payment.payer === "patient";
    differs(
      "charges of the card",
      sum(own_cards, ({ captured }) => captured),
      by_card ? charged : 0,
    );
    differs(
      "refunds of the card",
      sum(own_cards, (card) => card.refunded),
      by_card ? refunded : 0,
    );
    total.lines += charged - refunded;
    total.entries += paid("capture") - paid("refund");
    total.cards += sum(own_cards, (card) => card.captured - card.refunded);
  }
  const known = new Set(orders.map(({ order_number }) => order_number));
  if (lines.some(({ order_number }) => order_number !== null && !known.has(order_number))) {
    faults.push("a line of an unknown order");
  }
  if (total.lines !== total.entries) faults.push(`all lines: ${total.lines}, all payments: ${total.entries}`);
  const by_patients = sum(
    lines.filter(({ payer }) => payer === "patient"),
    ({ amount_cents }) => amount_cents,
  );
  if (by_patients !== total.cards) faults.push(`patients owe ${by_patients}, and their cards paid ${total.cards}`);
  if (entries.some(({ state }) => state !== "done")) faults.push("a payment was never sent to the processor");
  count(book, "cents in all statements", total.lines);
  count(book, "cents by card", total.cards);
  return faults;
}

/** A closed month never changes. */
async function closedFaults({ book, ask }: Year): Promise<string[]> {
  const faults: string[] = [];
  for (const [month, text] of book.closed) {
    if ((await ask(`/statements/${month}?limit=200`)).text !== text) faults.push(`the closed month ${month} changed`);
  }
  return faults;
}
