import {
  type DashboardException,
  type DashboardOrder,
  type OverrideCode,
  overrideCodes,
  overrideReasons,
  SHORTEST_OVERRIDE_TEXT,
} from "@pestle/contract";
import { useState } from "react";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { Age } from "../../ui/time.tsx";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import styles from "./order-screen.module.css";
import { ReasonDialog, useDrafts } from "./reason-dialog.tsx";
import type { DoWork } from "./use-order.ts";

const whoActs = {
  partner: say("Partner must act"),
  pharmacist: say("Pharmacist must act"),
  pharmacy: say("Pharmacy must act"),
} as const;

/** The order's exceptions: who must act and how to resolve them. */
export function ExceptionsCard({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const [ending, setEnding] = useState<DashboardException | null>(null);
  const [code, setCode] = useState<OverrideCode | "">("");
  const drafts = useDrafts();
  const first = page.exceptions.find(({ cannot_resolve }) => cannot_resolve === null);
  useShortcuts(
    first
      ? [{ keys: "e", label: say("Resolve: {name}", { name: sayName(first.name) }), run: () => setEnding(first) }]
      : [],
  );
  if (page.exceptions.length === 0) return null;
  return (
    <Card title={say("On hold: {exceptions}", { exceptions: counted(page.exceptions.length, "exception") })}>
      <ul className={`${styles["entries"]} ${styles["entries-plain"]}`}>
        {page.exceptions.map((exception) => (
          <li key={exception.id}>
            <div className="stack-tight">
              <p className="row">
                <strong>{sayName(exception.name)}</strong>
                <Badge tone={exception.who_acts === "partner" ? "info" : "wait"}>{whoActs[exception.who_acts]}</Badge>
                <span className="quiet small">
                  {sayWith("for {age}", { age: <Age since={exception.raised_at} /> })}
                </span>
              </p>
              <p>{sayName(exception.message)}</p>
              {exception.order_actions.length > 0 && (
                <p className="small quiet">
                  {say("The partner can: {actions}.", {
                    actions: exception.order_actions.map(({ action }) => sayName(action).toLowerCase()).join(", "),
                  })}
                </p>
              )}
              {exception.cannot_resolve !== null && (
                <p className="small quiet">
                  {sayWith("You cannot resolve this: {why}", {
                    why: <span lang="en">{exception.cannot_resolve}</span>,
                  })}
                </p>
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
                {say("Resolve")}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {ending && (
        <ReasonDialog
          title={say("Resolve: {name}", { name: sayName(ending.name) })}
          hint={
            ending.needs_code
              ? say(
                  "Pestle runs the check again. The order's timeline records the code, the reason, your name and your license.",
                )
              : say("Pestle runs the check again. The order's timeline records the reason and your name.")
          }
          shortest={ending.needs_code ? SHORTEST_OVERRIDE_TEXT : undefined}
          submit={say("Resolve")}
          drafts={drafts}
          work={work}
          onClose={() => setEnding(null)}
          onSubmit={async (reason) => {
            const given = { exception_id: ending.id, reason, ...(ending.needs_code && code !== "" && { code }) };
            const answer = await work.run({ event: "resolve", ...given }, say("Resolved."));
            if (answer === undefined) return;
            drafts.clear();
            setCode("");
            setEnding(null);
          }}
        >
          {ending.needs_code && (
            <SelectField
              label={say("Override code")}
              required
              autoFocus
              options={[
                ["", say("Choose")],
                ...overrideCodes.map((one) => [one, sayName(overrideReasons[one])] as const),
              ]}
              value={code}
              onChange={(event) => setCode(event.target.value as OverrideCode | "")}
            />
          )}
        </ReasonDialog>
      )}
    </Card>
  );
}
