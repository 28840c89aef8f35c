import type { RecallRow } from "@pestle/contract";
import { Link } from "../../app/router/router.tsx";
import { Badge } from "../../ui/badge.tsx";
import { counted } from "../../ui/counted.ts";
import type { Column } from "../../ui/display/table.tsx";
import { EnvironmentBadge, StatusBadge } from "../../ui/order-badges.tsx";
import { dateText, When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { orderPath } from "../order-link.ts";
import styles from "./recall-screen.module.css";
import { orderKey } from "./recall-totals.ts";

/** After a reveal, contact details replace the patient's initials. */
export const recallColumns = (
  revealed: boolean,
  chosen: ReadonlySet<string>,
  toggle: (key: string) => void,
): Column<RecallRow>[] => [
  {
    title: say("Select"),
    unseen: true,
    cell: (row) => (
      <input
        type="checkbox"
        aria-label={say("Select {order_number}", { order_number: row.order_number })}
        checked={chosen.has(orderKey(row))}
        onChange={() => toggle(orderKey(row))}
      />
    ),
  },
  {
    title: say("Order"),
    cell: (row) => (
      <Link to={orderPath(row)} className={`mono ${styles["number"]}`}>
        {row.order_number}
      </Link>
    ),
  },
  {
    title: say("Partner"),
    cell: ({ partner, environment }) => (
      <span className="row">
        {partner} <EnvironmentBadge environment={environment} />
      </span>
    ),
  },
  { title: say("Patient"), cell: (row) => (revealed ? <Contact row={row} /> : row.patient_initials) },
  {
    title: say("Package"),
    cell: ({ name, units, lot_expires_on }) => (
      <>
        {name}
        <span className={styles["under"]}>
          {say("{units}, expires {date}", {
            units: counted(units, "unit"),
            date: dateText(lot_expires_on),
          })}
        </span>
      </>
    ),
  },
  { title: say("Status"), cell: ({ order_status }) => <StatusBadge status={order_status} /> },
  {
    title: say("Shipped"),
    cell: ({ shipped_at, order_status }) =>
      shipped_at !== null ? (
        <When at={shipped_at} />
      ) : order_status === "Canceled" ? (
        say("Never")
      ) : (
        <Badge tone="bad">{say("Not yet")}</Badge>
      ),
  },
  { title: say("Partner told"), cell: ({ told_at }) => (told_at === null ? say("No") : <When at={told_at} />) },
];

function Contact({ row: { contact } }: { row: RecallRow }) {
  if (contact === undefined) return null;
  return (
    <>
      {contact.first_name} {contact.last_name}
      <span className={styles["under"]}>{contact.phone ?? say("no phone")}</span>
      <span className={styles["under"]}>{contact.email ?? say("no email")}</span>
    </>
  );
}
