import type { RecallRow } from "@pestle/contract";
import { Link } from "@tanstack/react-router";
import { Badge } from "../../ui/badge.tsx";
import { EnvironmentBadge, StatusBadge } from "../../ui/order-badges.tsx";
import type { Column } from "../../ui/table.tsx";
import { dateText, When } from "../../ui/time.tsx";
import { orderPath } from "../order-link.ts";

/** Once revealed, how to reach somebody takes the place of their initials. */
export const recallColumns = (revealed: boolean): Column<RecallRow>[] => [
  {
    title: "Order",
    cell: (row) => (
      <Link to={orderPath(row)} className="mono">
        {row.order_number}
      </Link>
    ),
  },
  {
    title: "Partner",
    cell: ({ partner, environment }) => (
      <span className="row">
        {partner} <EnvironmentBadge environment={environment} />
      </span>
    ),
  },
  ...(revealed ? contact : [{ title: "Patient", cell: ({ patient_initials }: RecallRow) => patient_initials }]),
  { title: "Product", cell: ({ name }) => name },
  { title: "Units", number: true, cell: ({ units }) => units.toLocaleString() },
  { title: "Expires", cell: ({ lot_expires_on }) => dateText(lot_expires_on) },
  { title: "Stands at", cell: ({ order_status }) => <StatusBadge status={order_status} /> },
  {
    title: "Left the house",
    cell: ({ shipped_at, order_status }) =>
      shipped_at !== null ? (
        <When at={shipped_at} />
      ) : order_status === "Canceled" ? (
        "never"
      ) : (
        <Badge tone="bad">Not yet</Badge>
      ),
  },
];

const contact: Column<RecallRow>[] = [
  { title: "Patient", cell: (row) => row.contact && `${row.contact.first_name} ${row.contact.last_name}` },
  { title: "Phone", cell: (row) => row.contact?.phone ?? "–" },
  { title: "E-mail", cell: (row) => row.contact?.email ?? "–" },
];
