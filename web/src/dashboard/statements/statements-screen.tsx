import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { Button } from "../../ui/controls/button.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { MonthTable } from "../../ui/statements/month-table.tsx";
import { say } from "../../ui/words/say.tsx";
import { AccountSelect, useChosenAccount } from "../accounts.tsx";
import { leads } from "../roles.ts";
import { BookDialog } from "./book-dialog.tsx";

/** What a partner owes for each month. A lead can add a fee or a credit. */
export function StatementsScreen() {
  const [account] = useChosenAccount();
  const { role } = useSignedIn();
  const may_book = leads.includes(role) && account !== undefined;
  const [booking, setBooking] = useState(false);
  const months = useApi(`/dashboard/statements/${account?.account_id}?limit=200`, { enabled: account !== undefined });
  useShortcuts(may_book ? [{ keys: "n", label: say("Add a fee or a credit"), run: () => setBooking(true) }] : []);
  return (
    <Page
      title={say("Statements")}
      heading={
        <span className="row">
          {say("Statements")} {account && <EnvironmentBadge environment={account.environment} />}
        </span>
      }
      about={say("What you charged and refunded each partner, by month.")}
      actions={
        <>
          <AccountSelect />
          {may_book && (
            <Button icon="plus" keys="n" onClick={() => setBooking(true)}>
              {say("Fee or credit")}
            </Button>
          )}
        </>
      }
    >
      <Loaded query={months} lines={6}>
        {({ statements }) => (
          <MonthTable
            statements={statements}
            owed={say("Partner owes")}
            link={(month, text) => <Link to={`/statements/${account?.account_id}/${month}`}>{text}</Link>}
          />
        )}
      </Loaded>
      {booking && account && <BookDialog account={account} onClose={() => setBooking(false)} />}
    </Page>
  );
}
