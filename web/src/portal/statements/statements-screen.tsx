import { Link } from "@tanstack/react-router";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useApi } from "../../app/use-api.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { MonthTable } from "../../ui/statements/month-table.tsx";
import { monthText } from "../../ui/statements/month-text.ts";
import { usePortal } from "../account.tsx";

/** The account's months, with what the partner owes for each. 200 months are more than a person looks at. */
export function StatementsScreen() {
  const { api_base, link_base } = usePortal();
  const months = useApi(`${api_base}/statements?limit=200`);
  return (
    <Page title="Statements" about="What the pharmacy charged and refunded, by month.">
      <Loaded query={months} lines={6}>
        {({ statements }) => (
          <Card flush>
            <MonthTable
              statements={statements}
              owed="You owe"
              link={({ month }) => <Link to={`${link_base}/statements/${month}`}>{monthText(month)}</Link>}
              empty={
                <Empty title="No statements yet">
                  <p>The first one appears when an order ships.</p>
                </Empty>
              }
            />
          </Card>
        )}
      </Loaded>
    </Page>
  );
}
