import type { PortalRenewals, RenewalRequestInput } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { RenewalDialog } from "../../app/renewal-dialog.tsx";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { RenewalBadge, RenewalFacts } from "../../ui/renewal-state.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

/** The requests for renewal of a prescription, and a button for another one. The server audits each read. */
export function Renewals({ prescription_id, used_up }: { prescription_id: number; used_up: boolean }) {
  const { api_base, may_change } = usePortal();
  const [asking, setAsking] = useState(false);
  const path = `${api_base}/prescriptions/${prescription_id}/renewal_requests` as const;
  const found = useApi(path, { written_down: true });
  return (
    <Loaded query={found} lines={1}>
      {(renewals) => (
        <>
          <Requests {...renewals} />
          {/* While there are refills, the missing button needs no explanation. */}
          {used_up &&
            renewals.problems.map(({ code, message }) => (
              <p key={code} className="quiet small" lang="en">
                {message}
              </p>
            ))}
          {may_change && renewals.problems.length === 0 && (
            <p>
              <Button small onClick={() => setAsking(true)}>
                {say("Ask for a renewal")}
              </Button>
            </p>
          )}
          {asking && <AskRenewal path={path} prescription_id={prescription_id} onClose={() => setAsking(false)} />}
        </>
      )}
    </Loaded>
  );
}

function Requests({ renewal_requests }: PortalRenewals) {
  return renewal_requests.map((request) => (
    <div key={request.renewal_request_id}>
      <p className="row">{sayWith("Renewal {badge}", { badge: <RenewalBadge {...request} /> })}</p>
      <RenewalFacts {...request} />
    </div>
  ));
}

function AskRenewal({
  path,
  prescription_id,
  onClose,
}: {
  path: `/portal/${"production" | "sandbox"}/prescriptions/${number}/renewal_requests`;
  prescription_id: number;
  onClose: () => void;
}) {
  const change = useChange((body: RenewalRequestInput) => api(path, { method: "POST", body }), {
    done: say("The pharmacy asks the prescriber."),
    reads: [path],
    after: onClose,
  });
  return (
    <RenewalDialog confirm={say("Ask")} change={change} onClose={onClose}>
      <p>{say("The pharmacy asks the prescriber to renew prescription {prescription_id}.", { prescription_id })}</p>
    </RenewalDialog>
  );
}
