import { type PortalSchedule, type ScheduleAction, scheduleActions } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Confirm } from "../../app/confirm.tsx";
import { type Change, useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

/** In display order. */
const shownActions: Record<ScheduleAction, { button: string; done: string; danger?: true }> = {
  resume: { button: say("Resume"), done: say("The schedule makes orders again.") },
  fill_now: { button: say("Fill now"), done: say("The fill is ordered.") },
  skip: { button: say("Skip the next fill"), done: say("The next fill is skipped.") },
  pause: { button: say("Pause"), done: say("The schedule is paused.") },
  cancel: { button: say("Cancel schedule"), done: say("The schedule is canceled."), danger: true },
};

/** What the schedule's status allows. Each action is explained before it is done. */
export function ScheduleActions({ shown: { schedule, actions } }: { shown: PortalSchedule }) {
  const [chosen, setChosen] = useState<ScheduleAction | null>(null);
  if (actions.length === 0) return null;
  const names = (Object.keys(shownActions) as ScheduleAction[]).filter((action) => actions.includes(action));
  return (
    <div className="row">
      {names.map((action) => (
        <Button
          key={action}
          small
          tone={shownActions[action].danger ? "danger" : "plain"}
          onClick={() => setChosen(action)}
        >
          {shownActions[action].button}
        </Button>
      ))}
      {chosen && <ActionDialog schedule_id={schedule.schedule_id} action={chosen} onClose={() => setChosen(null)} />}
    </div>
  );
}

function ActionDialog({
  schedule_id,
  action,
  onClose,
}: {
  schedule_id: string;
  action: ScheduleAction;
  onClose: () => void;
}) {
  const { api_base } = usePortal();
  const { button, done, danger } = shownActions[action];
  const change: Change<[], unknown> = useChange(
    () => api(`${api_base}/refill_schedules/${encodeURIComponent(schedule_id)}/${action}`, { method: "POST" }),
    {
      done,
      reads: (["/refill_schedules", "/orders", "/continuity", "/home"] as const).map(
        (read) => `${api_base}${read}` as const,
      ),
      after: onClose,
    },
  );
  return (
    <Confirm
      title={button}
      confirm={button}
      change={change}
      onClose={onClose}
      {...(danger ? { cancel: say("Keep schedule") } : { tone: "primary" })}
    >
      <p>{sayName(scheduleActions[action].does)}</p>
    </Confirm>
  );
}
