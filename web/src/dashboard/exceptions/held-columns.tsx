import { type DashboardOrderRow, type ExceptionId, exceptions } from "@pestle/contract";
import { Link } from "@tanstack/react-router";
import { Badge } from "../../ui/badge.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import type { GridColumn } from "../../ui/row-grid.tsx";
import { Age } from "../../ui/time.tsx";
import { orderPath } from "../order-link.ts";
import styles from "./exceptions-screen.module.css";

export function heldColumns({
  exception_id,
  ticked,
  toggle,
}: {
  exception_id: ExceptionId;
  ticked: ReadonlySet<string>;
  toggle: (row: DashboardOrderRow) => void;
}): GridColumn<DashboardOrderRow>[] {
  return [
    {
      title: "Select",
      unseen: true,
      width: "1.25rem",
      cell: (row) => (
        <input
          type="checkbox"
          className={styles["tick"]}
          aria-label={`Select ${row.order_number}`}
          tabIndex={-1}
          checked={ticked.has(orderPath(row))}
          onChange={() => toggle(row)}
        />
      ),
    },
    {
      title: "Order",
      width: "7rem",
      cell: (row) => (
        <Link to={orderPath(row)} tabIndex={-1} className="mono">
          {row.order_number}
        </Link>
      ),
    },
    {
      title: "Partner",
      width: "minmax(8rem, 1.5fr)",
      cell: ({ partner, environment }) => (
        <>
          <EnvironmentBadge environment={environment} /> {partner}
        </>
      ),
    },
    { title: "Patient", width: "3.5rem", cell: ({ patient_initials }) => patient_initials },
    {
      title: "Products",
      width: "minmax(9rem, 2fr)",
      cell: ({ drug_names }) => <span title={drug_names.join(", ")}>{drug_names.join(", ")}</span>,
    },
    {
      title: "Also held by",
      width: "minmax(6rem, 1fr)",
      cell: ({ exception_ids }) => {
        const others = exception_ids.filter((id) => id !== exception_id).map((id) => exceptions[id].name);
        return others.length === 0 ? (
          <span className="quiet">–</span>
        ) : (
          <span title={others.join(", ")}>
            <Badge tone="wait">{others[0]}</Badge>
            {others.length > 1 && <span className="quiet"> +{others.length - 1}</span>}
          </span>
        );
      },
    },
    {
      title: "Worked on by",
      width: "minmax(5rem, 1fr)",
      cell: ({ claimed_by }) => claimed_by ?? <span className="quiet">–</span>,
    },
    {
      title: "Waits",
      width: "5.5rem",
      number: true,
      cell: ({ stage_since, late }) => (
        <span className={late ? styles["late"] : undefined}>
          <Age since={stage_since} />
          {late && <span className="unseen"> late</span>}
        </span>
      ),
    },
  ];
}
