import { Loaded } from "../../app/loaded.tsx";
import { useApi } from "../../app/use-api.ts";
import { Card } from "../../ui/display/card.tsx";
import { QuotaTable } from "../../ui/quota-table.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";

/** What the account stores and how much it may, as the partner sees it. */
export function QuotasCard({ account_id }: { account_id: string }) {
  const found = useApi(`/dashboard/partners/${encodeURIComponent(account_id)}/quotas`);
  return (
    <Card title={say("Stored data")}>
      <Loaded query={found} lines={6}>
        {({ quotas }) => <QuotaTable quotas={quotas} />}
      </Loaded>
      <p className="quiet small">
        {sayWith(
          "The numbers are approximate. At a limit, requests of the partner that store more get 429. An operator changes a limit with {code}.",
          { code: <code>pestle partner quota</code> },
        )}
      </p>
    </Card>
  );
}
