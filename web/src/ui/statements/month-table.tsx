import type { Statement } from "@pestle/contract";
import type { ReactNode } from "react";
import { Card } from "../display/card.tsx";
import { Empty } from "../display/notice.tsx";
import { type Column, Table } from "../display/table.tsx";
import { moneyText } from "../money.ts";
import { numberText } from "../words/number-text.ts";
import { say } from "../words/say.tsx";
import { monthText } from "./month-text.ts";
import { MonthBadge, MonthEnd } from "./status-badge.tsx";

/** The months of an account, newest first. */
export function MonthTable({
  statements,
  owed,
  link,
}: {
  statements: readonly Statement[];
  /** How the reader calls the partner's total. */
  owed: string;
  /** A link to the month with this text. */
  link: (month: string, text: string) => ReactNode;
}) {
  const columns: Column<Statement>[] = [
    { title: say("Month"), cell: ({ month }) => link(month, monthText(month)) },
    { title: say("Status"), cell: (statement) => <MonthBadge statement={statement} /> },
    {
      title: say("Closing"),
      cell: (statement) => (
        <span className="quiet">
          <MonthEnd statement={statement} />
        </span>
      ),
    },
    { title: say("Lines"), number: true, cell: ({ line_count }) => numberText(line_count) },
    { title: owed, number: true, cell: ({ due_cents, currency }) => moneyText(due_cents, currency) },
    {
      title: say("Paid by patients"),
      number: true,
      cell: ({ totals, currency }) => moneyText(totals.patient.total_cents, currency),
    },
  ];
  return (
    <Card flush>
      <Table
        caption={say("Months")}
        columns={columns}
        rows={statements}
        rowKey={({ month }) => month}
        empty={
          <Empty title={say("No statements yet")}>
            <p>{say("The first one appears when an order ships.")}</p>
          </Empty>
        }
      />
    </Card>
  );
}
