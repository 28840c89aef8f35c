import type { Statement, StatementLine } from "@pestle/contract";
import type { ReactNode } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { lineColumns } from "../../ui/statements/line-columns.tsx";
import { monthText } from "../../ui/statements/month-text.ts";
import { StatementTiles } from "../../ui/statements/statement-tiles.tsx";
import { MonthBadge, MonthEnd } from "../../ui/statements/status-badge.tsx";
import { say } from "../../ui/words/say.tsx";
import type { apiFile } from "../api.ts";
import { Problem } from "../problem.tsx";
import { RowList } from "../row-list.tsx";
import { Page } from "../shell/page.tsx";
import { useChange } from "../use-change.ts";
import type { Pages } from "../use-pages.ts";

/** One month: its sums and its lines, oldest first. */
export function StatementPage({
  month,
  pages,
  readCsv,
  owed,
  before,
  after,
  months,
  orderPath,
}: {
  month: string;
  pages: Pages<StatementLine, Statement>;
  readCsv: () => ReturnType<typeof apiFile>;
  /** How the reader calls the partner's total. */
  owed: string;
  /** Around the month in the heading. */
  before?: ReactNode;
  after?: ReactNode;
  /** The link to all months. */
  months: ReactNode;
  orderPath: (order_number: string) => string;
}) {
  const csv = useChange(readCsv, { after: ({ name, blob }) => saveFile(name, blob) });
  const [statement] = pages.pages;
  const title = /^\d{4}-\d{2}$/.test(month) ? monthText(month) : say("Statement");
  return (
    <Page
      title={title}
      fill
      heading={
        <span className="row">
          {before} {title} {statement && <MonthBadge statement={statement} />} {after}
        </span>
      }
      about={
        <>
          {months} {statement && <MonthEnd statement={statement} />}
        </>
      }
      actions={
        statement && (
          <Button icon="download" busy={csv.busy} onClick={() => void csv.run()}>
            {say("CSV")}
          </Button>
        )
      }
    >
      {csv.error !== null && <Problem error={csv.error} retry={() => void csv.run()} />}
      {statement && <StatementTiles statement={statement} owed={owed} />}
      <RowList
        label={say("Lines")}
        pages={pages}
        columns={lineColumns}
        rowKey={({ line_id }) => line_id}
        linkTo={({ order_number }) => (order_number === null ? null : orderPath(order_number))}
        empty={<Empty title={say("No lines")} />}
      />
    </Page>
  );
}
