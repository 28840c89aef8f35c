import { type DashboardOrderRow, exceptions } from "@pestle/contract";
import { Badge } from "../../ui/badge.tsx";
import type { GridColumn } from "../../ui/display/row-grid.tsx";
import { EnvironmentBadge, StatusBadge } from "../../ui/order-badges.tsx";
import { ageText } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { orderPath } from "../order-link.ts";
import styles from "./queue-screen.module.css";

type Column = GridColumn<DashboardOrderRow>;

/** The columns of a queue. A single-stage queue needs no Stage column. */
export function columnsOf({
  queue,
  selected,
  toggle,
  now_ms,
}: {
  queue: string | null;
  selected: ReadonlySet<string>;
  toggle: (row: DashboardOrderRow) => void;
  now_ms: number;
}): Column[] {
  const tick: Column = {
    title: say("Select"),
    unseen: true,
    width: "1.25rem",
    cell: (row) => (
      <input
        type="checkbox"
        className={styles["tick"]}
        aria-label={say("Select {order_number}", { order_number: row.order_number })}
        tabIndex={-1}
        checked={selected.has(orderPath(row))}
        onChange={() => toggle(row)}
      />
    ),
  };
  return [
    tick,
    order,
    waitingColumn(now_ms),
    ...(queue === null ? [stageColumn] : []),
    ...(queue === "on_hold" ? [held] : []),
    ...(queue === "pack" ? [printed] : []),
    ...others,
  ];
}

const order: Column = {
  title: say("Order"),
  width: "7rem",
  cell: (row) => (
    // The grid handles clicks. The link lets users open the order in a new tab.
    <a href={`/dashboard${orderPath(row)}`} tabIndex={-1} className="mono">
      {row.order_number}
    </a>
  ),
};

const stageColumn: Column = {
  title: say("Stage"),
  width: "7.5rem",
  cell: ({ order_status, stage }) => <StatusBadge status={order_status} stage={stage} />,
};

const held: Column = {
  title: say("Exceptions"),
  width: "minmax(10.5rem, 2fr)",
  cell: ({ exception_ids }) => {
    const [first, ...rest] = exception_ids.map((id) => sayName(exceptions[id].name));
    return (
      <span className={styles["held"]} title={[first, ...rest].join(", ")}>
        <Badge tone="wait">{first}</Badge> {rest.length > 0 && <span className="quiet">+{rest.length}</span>}
      </span>
    );
  },
};

const printed: Column = {
  title: say("Slip and label"),
  width: "6.5rem",
  cell: ({ printed_at }) => (
    <Badge tone={printed_at === null ? "wait" : "good"}>{printed_at === null ? say("To print") : say("Printed")}</Badge>
  ),
};

const others: Column[] = [
  {
    title: say("Partner"),
    width: "minmax(11.5rem, 1.5fr)",
    cell: ({ partner, environment }) => (
      <>
        <EnvironmentBadge environment={environment} /> {partner}
      </>
    ),
  },
  { title: say("Patient"), width: "4rem", cell: ({ patient_initials }) => patient_initials },
  {
    title: say("Products"),
    width: "minmax(9rem, 2.5fr)",
    cell: ({ drug_names, schedule }) => (
      <span title={drug_names.join(", ")}>
        {schedule !== "0" && <Badge tone="bad">C{schedule}</Badge>} {drug_names.join(", ")}
      </span>
    ),
  },
  {
    title: say("Claimed by"),
    width: "minmax(6rem, 1fr)",
    cell: ({ claimed_by }) => claimed_by ?? <span className="quiet">–</span>,
  },
  // Last, because narrow screens show them only after scrolling.
  { title: say("State"), width: "3rem", cell: ({ ship_state }) => ship_state ?? "–" },
  { title: say("Method"), width: "minmax(6rem, 1fr)", cell: ({ method }) => <span title={method}>{method}</span> },
];

const waitingColumn = (now_ms: number): Column => ({
  title: say("Waiting"),
  width: "5.5rem",
  cell: ({ stage_since, late }) => (
    <time dateTime={stage_since} className={late ? styles["late"] : undefined}>
      {ageText(now_ms - Date.parse(stage_since))}
      {late && <span className="unseen"> {say("late")}</span>}
    </time>
  ),
});
