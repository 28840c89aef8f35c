import { type BulkEvent, type DashboardOrderRow, type ExceptionGroup, NOTE_CHARACTERS } from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextArea } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { type BulkOutcome, sendBulk } from "../send-bulk.ts";
import { overriding } from "./who-acts.ts";

const deeds = {
  resolve: {
    title: (name: string) => `Resolve: ${name}`,
    label: "Reason",
    hint: "Pestle runs the check again. Each order's timeline records the reason and your name.",
    submit: "Resolve",
    done: "Resolved",
  },
  note: {
    title: () => "Add note",
    label: "Note",
    hint: "Saved with each order. The partner does not see it.",
    submit: "Add note",
    done: "Note added",
  },
  cancel: {
    title: () => "Cancel",
    label: "Reason",
    hint: "Releases stock and refills and notifies the partner. You cannot undo this.",
    submit: "Cancel orders",
    done: "Canceled",
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
            {send.busy && meant.length > 1 && `${sent} of ${meant.length}…`}
          </span>
          <Button onClick={onClose}>{deed === "cancel" ? "Keep orders" : "Cancel"}</Button>
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
