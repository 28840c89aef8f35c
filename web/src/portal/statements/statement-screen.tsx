import { addressOf, apiFile } from "../../app/api.ts";
import { Link } from "../../app/router/router.tsx";
import { StatementPage } from "../../app/statements/statement-page.tsx";
import { useParam } from "../../app/use-address.ts";
import { usePages } from "../../app/use-pages.ts";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

/** One month of the account. */
export function StatementScreen() {
  const { api_base, link_base } = usePortal();
  const month = useParam("month");
  const path = `${api_base}/statements/${encodeURIComponent(month)}` as const;
  return (
    <StatementPage
      month={month}
      pages={usePages(addressOf(path, { limit: "200" }), ({ lines }) => lines, { written_down: true })}
      readCsv={() => apiFile(`${path}/csv`)}
      owed={say("You owe")}
      months={<Link to={`${link_base}/statements`}>{say("All months")}</Link>}
      orderPath={(order_number) => `${link_base}/orders/${order_number}`}
    />
  );
}
