import { Link } from "@tanstack/react-router";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useApi } from "../../app/use-api.ts";
import { MonthTable } from "../../ui/statements/month-table.tsx";
import { usePortal } from "../account.tsx";

/** The account's months, with what the partner owes for each. 200 months are more than a person looks at. */
export function StatementsScreen() {
  const { api_base, link_base } = usePortal();
  const months = useApi(`${api_base}/statements?limit=200`);
  return (
    <Page title="Statements" about="What the pharmacy charged and refunded, by month.">
      <Loaded query={months} lines={6}>
        {({ statements }) => (
          <MonthTable
            statements={statements}
            owed="You owe"
            link={(month, text) => <Link to={`${link_base}/statements/${month}`}>{text}</Link>}
          />
        )}
      </Loaded>
    </Page>
  );
}
