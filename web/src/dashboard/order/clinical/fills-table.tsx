import type { ClinicalFill } from "@pestle/contract";
import { Link } from "../../../app/router/router.tsx";
import { counted } from "../../../ui/counted.ts";
import { type Column, Table } from "../../../ui/display/table.tsx";
import { StatusBadge } from "../../../ui/order-badges.tsx";
import { dateText } from "../../../ui/time.tsx";
import { say } from "../../../ui/words/say.tsx";
import { orderPath } from "../../order-link.ts";
import styles from "./clinical.module.css";

/** The patient's last fills with dates, newest first. */
export function FillsTable({ account_id, fills }: { account_id: string; fills: readonly ClinicalFill[] }) {
  const columns: readonly Column<ClinicalFill>[] = [
    { title: say("Product"), cell: ({ name }) => <span className={styles["name"]}>{name}</span> },
    {
      title: say("Shipped"),
      cell: ({ shipped_at, ordered_at }) => (
        <span className="nowrap">
          {shipped_at === null ? say("Ordered {date}", { date: dateText(ordered_at) }) : dateText(shipped_at)}
        </span>
      ),
    },
    {
      title: say("Lasts until"),
      cell: ({ supply_ends_at }) => (
        <span className="nowrap">{supply_ends_at === null ? "–" : dateText(supply_ends_at)}</span>
      ),
    },
    {
      title: say("Quantity"),
      number: true,
      cell: ({ units, days_supply }) =>
        days_supply === null ? units : say("{units} for {days}", { units, days: counted(days_supply, "day") }),
    },
    {
      title: say("Order"),
      cell: ({ order_number, order_status }) => (
        <span className="row">
          <Link to={orderPath({ account_id, order_number })} className="mono nowrap">
            {order_number}
          </Link>
          <StatusBadge status={order_status} />
        </span>
      ),
    },
  ];
  return (
    <Table
      caption={say("Last fills")}
      columns={columns}
      rows={fills}
      rowKey={({ order_number, name }) => `${order_number} ${name}`}
      dim={({ active }) => !active}
    />
  );
}
