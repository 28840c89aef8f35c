import { type BulkEvent, type DashboardOrderRow, type ExceptionGroup, NOTE_CHARACTERS } from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextArea } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { type BulkOutcome, sendBulk } from "../send-bulk.ts";
import { overriding } from "./who-acts.ts";

const deeds = {
  resolve: {
    title: (name: string) => say("Resolve: {name}", { name: sayName(name) }),
    label: say("Reason"),
    hint: say("Pestle runs the check again. Each order's timeline records the reason and your name."),
    submit: say("Resolve"),
    done: say("Resolved"),
  },
  note: {
    title: () => say("Add note"),
    label: say("Note"),
    hint: say("Saved with each order. The partner does not see it."),
    submit: say("Add note"),
    done: say("Note added"),
  },
  cancel: {
    title: () => say("Cancel"),
    label: say("Reason"),
    hint: say("Releases stock and refills and notifies the partner. You cannot undo this."),
    submit: say("Cancel orders"),
    done: say("Canceled"),
  },
} as const satisfies Partial<Record<BulkEvent, object>>;
export type Deed = keyof typeof deeds;

/** Asks for a reason, then runs the action on each order. */
export function DeedDialog({
  deed,
  group: { exception_id, name, overridden_by },
  orders,
  onClose,
  onDone,
}: {
  deed: Deed;
  group: ExceptionGroup;
  orders: readonly DashboardOrderRow[];
  onClose: () => void;
  onDone: (outcome: BulkOutcome) => void;
}) {
  const { title, label, hint, submit, done } = deeds[deed];
  const [reason, setReason] = useState("");
  // Keep the selection from when the dialog opened.
  const [meant] = useState(orders);
  const [sent, setSent] = useState(0);
  const send = useChange(
    () => sendBulk({ event: deed, reason, ...(deed === "resolve" && { exception_id }) }, meant, setSent),
    {
      reads: ["/dashboard/exceptions", "/dashboard/orders?"],
      after: (outcome) => {
        if (outcome.refused.length === 0) toast(`${done}: ${counted(outcome.done, "order")}.`);
        onDone(outcome);
      },
    },
  );
  return (
    <Dialog
      title={`${title(name)} · ${meant.length === 1 ? meant[0]!.order_number : counted(meant.length, "order")}`}
      onClose={onClose}
      onSubmit={() => void send.run()}
      actions={
        <>
          <span role="status" className="quiet">
            {send.busy && meant.length > 1 && say("{sent} of {count}…", { sent, count: meant.length })}
          </span>
          <Button onClick={onClose}>{deed === "cancel" ? say("Keep orders") : say("Cancel")}</Button>
          <Button tone={deed === "cancel" ? "danger" : "primary"} type="submit" busy={send.busy}>
            {submit}
          </Button>
        </>
      }
    >
      {deed === "resolve" && <p>{overriding[overridden_by]}</p>}
      <TextArea
        label={label}
        hint={hint}
        required
        autoFocus
        maxLength={NOTE_CHARACTERS}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {send.error !== null && <Problem error={send.error} />}
    </Dialog>
  );
}
