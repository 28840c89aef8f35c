import type { DashboardException, DashboardOrder } from "@pestle/contract";
import { useState } from "react";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Age } from "../../ui/time.tsx";
import styles from "./order-screen.module.css";
import { ReasonDialog, useDrafts } from "./reason-dialog.tsx";
import type { DoWork } from "./use-order.ts";

const whoActs = {
  partner: "The partner acts",
  pharmacist: "A pharmacist acts",
  pharmacy: "The pharmacy acts",
} as const;

/** What holds the order, who has to move, and how it ends. */
export function ExceptionsCard({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const [ending, setEnding] = useState<DashboardException | null>(null);
  const drafts = useDrafts();
  const first = page.exceptions.find(({ cannot_resolve }) => cannot_resolve === null);
  useShortcuts(first ? [{ keys: "e", label: `End ${first.name}`, run: () => setEnding(first) }] : []);
  if (page.exceptions.length === 0) return null;
  return (
    <Card
      title={page.exceptions.length === 1 ? "Held by an exception" : `Held by ${page.exceptions.length} exceptions`}
    >
      <ul className={`${styles["entries"]} ${styles["entries-plain"]}`}>
        {page.exceptions.map((exception) => (
          <li key={exception.id}>
            <div className="stack-tight">
              <p className="row">
                <strong>{exception.name}</strong>
                <Badge tone={exception.who_acts === "partner" ? "info" : "wait"}>{whoActs[exception.who_acts]}</Badge>
                <span className="quiet small">
                  for <Age since={exception.raised_at} />
                </span>
              </p>
              <p>{exception.message}</p>
              {exception.order_actions.length > 0 && (
                <p className="small quiet">
                  The partner can: {exception.order_actions.map(({ action }) => action.toLowerCase()).join(", ")}.
                </p>
              )}
              {exception.cannot_resolve !== null && (
                <p className="small quiet">You cannot end it: {exception.cannot_resolve}</p>
              )}
            </div>
            {exception.cannot_resolve === null && (
              <Button
                small
                tone={exception === first ? "primary" : "plain"}
                keys={exception === first ? "e" : undefined}
                onClick={() => setEnding(exception)}
                data-next-step={exception === first || undefined}
              >
                End it
              </Button>
            )}
          </li>
        ))}
      </ul>
      {ending && (
        <ReasonDialog
          title={`End: ${ending.name}`}
          hint="What raised it is checked again. The reason is kept with the order, signed with your name."
          submit="End it"
          drafts={drafts}
          work={work}
          onClose={() => setEnding(null)}
          onSubmit={async (reason) => {
            const answer = await work.run({ event: "resolve", exception_id: ending.id, reason }, "Ended.");
            if (answer === undefined) return;
            drafts.clear();
            setEnding(null);
          }}
        />
      )}
    </Card>
  );
}
