import type { Statement } from "@pestle/contract";
import { type CsvColumn, saveCsv } from "../../app/csv-button.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { type Filter, FilterBar } from "../../app/shell/filter-bar.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { Button } from "../../ui/controls/button.tsx";
import { MonthTable } from "../../ui/statements/month-table.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

const filters: readonly Filter[] = [
  { name: "from", label: say("From"), date: true },
  { name: "to", label: say("To"), date: true },
];

const csv: readonly CsvColumn<Statement>[] = [
  ["Month", ({ month }) => month],
  ["Status", ({ status }) => status],
  ["Lines", ({ line_count }) => line_count],
  ["You owe", ({ due_cents }) => dollars(due_cents)],
  ["Paid by patients", ({ totals }) => dollars(totals.patient.total_cents)],
  ["Currency", ({ currency }) => currency],
];
const dollars = (cents: number) => Number((cents / 100).toFixed(2));

/** The account's months, with what the partner owes for each. 200 months are more than a person looks at. */
export function StatementsScreen() {
  const { api_base, link_base } = usePortal();
  const months = useApi(`${api_base}/statements?limit=200`);
  const [{ from = "", to = "9999" }] = useFilters();
  const inside = ({ month }: Statement) => month >= from.slice(0, 7) && month <= to.slice(0, 7);
  const shown = months.data?.statements.filter(inside) ?? [];
  return (
    <Page
      title={say("Statements")}
      about={say("What the pharmacy charged and refunded, by month.")}
      actions={
        <Button icon="download" onClick={() => saveCsv("statements", csv, shown)}>
          {say("CSV")}
        </Button>
      }
    >
      <FilterBar filters={filters} />
      <Loaded query={months} lines={6}>
        {() => (
          <MonthTable
            statements={shown}
            owed={say("You owe")}
            link={(month, text) => <Link to={`${link_base}/statements/${month}`}>{text}</Link>}
          />
        )}
      </Loaded>
    </Page>
  );
}
