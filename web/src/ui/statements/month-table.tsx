import type { Statement } from "@pestle/contract";
import type { ReactNode } from "react";
import { type Column, Table } from "../display/table.tsx";
import { moneyText } from "../money.ts";
import { MonthBadge, MonthEnd } from "./status-badge.tsx";

/** The months of an account, newest first. */
export function MonthTable({
  statements,
  owed,
  link,
  empty,
}: {
  statements: readonly Statement[];
  /** How the reader calls the partner's total. */
  owed: string;
  link: (statement: Statement) => ReactNode;
  empty: ReactNode;
}) {
  const columns: Column<Statement>[] = [
    { title: "Month", cell: link },
    { title: "Status", cell: (statement) => <MonthBadge statement={statement} /> },
    {
      title: "Closing",
      cell: (statement) => (
        <span className="quiet">
          <MonthEnd statement={statement} />
        </span>
      ),
    },
    { title: "Lines", number: true, cell: ({ line_count }) => line_count.toLocaleString() },
    { title: owed, number: true, cell: ({ due_cents, currency }) => moneyText(due_cents, currency) },
    {
      title: "Paid by patients",
      number: true,
      cell: ({ totals, currency }) => moneyText(totals.patient.total_cents, currency),
    },
  ];
  return <Table caption="Months" columns={columns} rows={statements} rowKey={({ month }) => month} empty={empty} />;
}
