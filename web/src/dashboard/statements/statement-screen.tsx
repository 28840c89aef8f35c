import { addressOf, apiFile } from "../../app/api.ts";
import { Link } from "../../app/router/router.tsx";
import { StatementPage } from "../../app/statements/statement-page.tsx";
import { useParam } from "../../app/use-address.ts";
import { usePages } from "../../app/use-pages.ts";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { say } from "../../ui/words/say.tsx";
import { useAccounts } from "../accounts.tsx";
import { orderPath } from "../order-link.ts";

/** One month of a partner. */
export function StatementScreen() {
  const account_id = useParam("account_id");
  const month = useParam("month");
  const account = useAccounts().find((one) => one.account_id === account_id);
  const path = `/dashboard/statements/${encodeURIComponent(account_id)}/${encodeURIComponent(month)}` as const;
  return (
    <StatementPage
      month={month}
      pages={usePages(addressOf(path, { limit: "200" }), ({ lines }) => lines, { written_down: true })}
      readCsv={() => apiFile(`${path}/csv`)}
      owed={say("Partner owes")}
      before={account?.partner}
      after={account && <EnvironmentBadge environment={account.environment} />}
      months={
        <Link to="/statements" search={{ account_id } as never}>
          {say("All months")}
        </Link>
      }
      orderPath={(order_number) => orderPath({ account_id, order_number })}
    />
  );
}
