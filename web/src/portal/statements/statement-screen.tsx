import { Link } from "@tanstack/react-router";
import { addressOf, apiFile } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { RowList } from "../../app/row-list.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useParam } from "../../app/use-address.ts";
import { useChange } from "../../app/use-change.ts";
import { usePages } from "../../app/use-pages.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { lineColumns } from "../../ui/statements/line-columns.tsx";
import { monthText } from "../../ui/statements/month-text.ts";
import { StatementTiles } from "../../ui/statements/statement-tiles.tsx";
import { MonthBadge, MonthEnd } from "../../ui/statements/status-badge.tsx";
import { usePortal } from "../account.tsx";

/** One month: its sums and its lines, oldest first. */
export function StatementScreen() {
  const { api_base, link_base } = usePortal();
  const month = useParam("month");
  const path = `${api_base}/statements/${encodeURIComponent(month)}` as const;
  const pages = usePages(addressOf(path, { limit: "200" }), ({ lines }) => lines, { written_down: true });
  const csv = useChange(() => apiFile(`${path}/csv`), { after: ({ name, blob }) => saveFile(name, blob) });
  const [statement] = pages.pages;
  const title = /^\d{4}-\d{2}$/.test(month) ? monthText(month) : "Statement";
  return (
    <Page
      title={title}
      fill
      heading={
        <span className="row">
          {title} {statement && <MonthBadge statement={statement} />}
        </span>
      }
      about={
        <>
          <Link to={`${link_base}/statements`}>All months</Link> {statement && <MonthEnd statement={statement} />}
        </>
      }
      actions={
        statement && (
          <Button icon="download" busy={csv.busy} onClick={() => void csv.run()}>
            CSV
          </Button>
        )
      }
    >
      {csv.error !== null && <Problem error={csv.error} retry={() => void csv.run()} />}
      {statement && <StatementTiles statement={statement} owed="You owe" />}
      <RowList
        label="Lines"
        pages={pages}
        columns={lineColumns}
        rowKey={({ line_id }) => line_id}
        linkTo={({ order_number }) => (order_number === null ? null : `${link_base}/orders/${order_number}`)}
        empty={<Empty title="No lines" />}
      />
    </Page>
  );
}
