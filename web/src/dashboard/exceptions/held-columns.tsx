import { type DashboardOrderRow, type ExceptionId, exceptions } from "@pestle/contract";
import { Link } from "../../app/router/router.tsx";
import type { GridColumn } from "../../ui/display/row-grid.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { Age } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { orderPath } from "../order-link.ts";
import styles from "./exceptions-screen.module.css";

/** Leaves out empty columns; space is tight next to the exception list. */
export function heldColumns({
  exception_id,
  rows,
  ticked,
  toggle,
}: {
  exception_id: ExceptionId;
  rows: readonly DashboardOrderRow[];
  ticked: ReadonlySet<string>;
  toggle: (row: DashboardOrderRow) => void;
}): GridColumn<DashboardOrderRow>[] {
  const elsewhere = rows.some(({ exception_ids }) => exception_ids.length > 1);
  const claimed = rows.some(({ claimed_by }) => claimed_by !== null);
  return [
    {
      title: say("Select"),
      unseen: true,
      width: "1.25rem",
      cell: (row) => (
        <input
          type="checkbox"
          className={styles["tick"]}
          aria-label={say("Select {order_number}", { order_number: row.order_number })}
          tabIndex={-1}
          checked={ticked.has(orderPath(row))}
          onChange={() => toggle(row)}
        />
      ),
    },
    {
      title: say("Order"),
      width: "7rem",
      cell: (row) => (
        <Link to={orderPath(row)} tabIndex={-1} className="mono">
          {row.order_number}
        </Link>
      ),
    },
    {
      title: say("Partner"),
      width: "minmax(8rem, 2fr)",
      cell: ({ partner, environment }) => (
        <>
          <EnvironmentBadge environment={environment} /> {partner}
        </>
      ),
    },
    { title: say("Patient"), width: "3.5rem", cell: ({ patient_initials }) => patient_initials },
    {
      title: say("Products"),
      width: "minmax(8rem, 2fr)",
      cell: ({ drug_names }) => <span title={drug_names.join(", ")}>{drug_names.join(", ")}</span>,
    },
    ...(elsewhere ? [alsoHeld(exception_id)] : []),
    ...(claimed ? [claimedBy] : []),
    {
      title: say("Waiting"),
      width: "5.5rem",
      number: true,
      cell: ({ stage_since, late }) => (
        <span className={late ? styles["late"] : undefined}>
          <Age since={stage_since} />
          {late && <span className="unseen"> {say("late")}</span>}
        </span>
      ),
    },
  ];
}

const alsoHeld = (exception_id: ExceptionId): GridColumn<DashboardOrderRow> => ({
  title: say("Other exceptions"),
  width: "minmax(6rem, 1fr)",
  cell: ({ exception_ids }) => {
    const others = exception_ids.filter((id) => id !== exception_id).map((id) => sayName(exceptions[id].name));
    return others.length === 0 ? (
      <span className="quiet">–</span>
    ) : (
      <span title={others.join(", ")}>{others.join(", ")}</span>
    );
  },
});

const claimedBy: GridColumn<DashboardOrderRow> = {
  title: say("Claimed by"),
  width: "minmax(6.5rem, 1fr)",
  cell: ({ claimed_by }) => claimed_by ?? <span className="quiet">–</span>,
};
