import type { MoneyKind, StatementLine } from "@pestle/contract";
import { Badge } from "../badge.tsx";
import type { GridColumn } from "../display/row-grid.tsx";
import { moneyText } from "../money.ts";
import { When } from "../time.tsx";
import { say, sayName } from "../words/say.tsx";

const kindNames: Record<MoneyKind, string> = {
  item: say("Item"),
  shipment: say("Shipping"),
  fee: say("Fee"),
  refund: say("Refund"),
  credit: say("Credit"),
};

/** The lines of a statement. */
export const lineColumns: readonly GridColumn<StatementLine>[] = [
  { title: say("Booked"), width: "8.5rem", cell: ({ booked_at }) => <When at={booked_at} /> },
  { title: say("Kind"), width: "5.5rem", cell: ({ kind }) => kindNames[kind] },
  {
    title: say("For"),
    width: "minmax(10rem, 2fr)",
    cell: ({ sku, quantity, description }) =>
      sku === null ? (
        <span title={description ?? undefined}>{sayName(description ?? "")}</span>
      ) : (
        <span className="mono">
          {sku}
          {quantity !== null && quantity > 1 && ` × ${quantity}`}
        </span>
      ),
  },
  // Before the rest, because narrow screens show the last columns only after scrolling.
  { title: say("Amount"), width: "7rem", number: true, cell: ({ amount_cents }) => moneyText(amount_cents) },
  {
    title: say("Order"),
    width: "7.5rem",
    cell: ({ order_number }) =>
      order_number === null ? <span className="quiet">–</span> : <span className="mono">{order_number}</span>,
  },
  {
    title: say("Reference"),
    width: "minmax(6rem, 1fr)",
    cell: ({ reference }) => reference ?? <span className="quiet">–</span>,
  },
  {
    title: say("Payer"),
    width: "6rem",
    cell: ({ payer }) => (payer === "patient" ? <Badge tone="info">{say("Patient")}</Badge> : say("Partner")),
  },
];
