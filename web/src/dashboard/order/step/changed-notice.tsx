import type { DashboardOrder, OrderRevision } from "@pestle/contract";
import { dropHeldStep } from "../../../app/held-step.ts";
import { useApi } from "../../../app/use-api.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { Notice } from "../../../ui/display/notice.tsx";
import { say } from "../../../ui/words/say.tsx";
import { orderApi } from "../use-order.ts";

const LOOK_EVERY_MS = 5_000;

/** Says who changed the order since this page was loaded. Loading it again is an audited read, so the user decides. */
export function ChangedNotice({ page, busy, again }: { page: DashboardOrder; busy: boolean; again: () => void }) {
  const { account_id, order } = page;
  const path = orderApi({ account_id, order_number: order.order_number });
  const { data } = useApi(`${path}/revision`, { refetch_ms: LOOK_EVERY_MS });
  const text = data && !busy ? changeOf(page, data) : null;
  const refresh = () => {
    // The user took it on the order as it was.
    dropHeldStep();
    again();
  };
  return (
    <div role="status" className={text === null ? "unseen" : undefined}>
      {text && (
        <Notice
          tone="wait"
          title={text}
          actions={
            <Button small icon="refresh" onClick={refresh}>
              {say("Refresh")}
            </Button>
          }
        >
          {say("This page shows the order as it was before.")}
        </Notice>
      )}
    </div>
  );
}

const others: Record<string, string> = {
  partner: say("The partner"),
  carrier: say("The carrier"),
  system: "Pestle",
};

function changeOf({ revision, claim, timeline }: DashboardOrder, now: OrderRevision): string | null {
  if (now.revision > revision) {
    const known = timeline.find(({ kind }) => kind === "history")?.at;
    // Some changes leave no row in the history, so their author is unknown.
    if (now.changed_at === known) return say("This order has changed.");
    if (now.by_me) return say("You changed this order on another page.");
    const who = now.changed_by ?? others[now.changed_as];
    return who === undefined ? say("This order has changed.") : say("{who} changed this order.", { who });
  }
  const name = now.claimed_by;
  return name !== null && name !== (claim?.name ?? null) ? say("This order is now claimed by {name}.", { name }) : null;
}
