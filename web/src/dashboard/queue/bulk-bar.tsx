import {
  type BulkEvent,
  type DashboardOrderRow,
  type ExceptionId,
  exceptions,
  MOST_PRINTED_ORDERS,
  NOTE_CHARACTERS,
  type QueueKey,
} from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextArea } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { numberText } from "../../ui/words/number-text.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { Assign } from "../assign.tsx";
import { BulkReport } from "../bulk-report.tsx";
import { orderPath } from "../order-link.ts";
import { openPrints } from "../print-station.ts";
import { type BulkOutcome, sendBulk } from "../send-bulk.ts";
import { StationDialog } from "../station-dialog.tsx";
import { BulkQuestion } from "./bulk-question.tsx";
import styles from "./queue-screen.module.css";

type Row = {
  event: BulkEvent;
  label: string;
  icon: IconName;
  /** Limits the action to some queues. */
  queues?: readonly QueueKey[];
} & (
  | { reason?: true; warning?: never; colleague?: never }
  | { warning: string; reason?: never; colleague?: never }
  | { colleague: true; reason?: never; warning?: never }
);

/** Bulk actions. Every step asks first, for a reason, a colleague or with a warning; a claim and a print are no steps. */
const rows: readonly Row[] = [
  { event: "claim", label: say("Claim"), icon: "person" },
  { event: "assign", label: say("Assign"), icon: "person", colleague: true },
  { event: "release", label: say("Release"), icon: "hold" },
  {
    event: "approve_review",
    label: say("Approve"),
    icon: "check",
    queues: ["clinical_review"],
    warning: say(
      "Pestle leaves out every order that has a safety finding or an exception. Review those orders one by one. You cannot undo an approval.",
    ),
  },
  { event: "print", label: say("Print"), icon: "print", queues: ["pack"] },
  {
    event: "ship",
    label: say("Handed to carrier"),
    icon: "truck",
    queues: ["pack"],
    warning: say(
      "The carrier has these parcels. Pestle charges the payment for each order, and leaves out the orders that are not printed. You cannot undo a shipment.",
    ),
  },
  { event: "resolve", label: say("Resolve exception"), icon: "check", reason: true, queues: ["on_hold"] },
  { event: "note", label: say("Note"), icon: "note", reason: true },
  { event: "cancel", label: say("Cancel"), icon: "close", reason: true },
];

type Given = { reason?: string; exception_id?: ExceptionId; person_id?: string };

/** Appears when orders are selected. Failures are listed per order afterwards. */
export function BulkBar({
  queue,
  orders,
  onClear,
  onKeep,
  onDone,
}: {
  queue: string | null;
  orders: readonly DashboardOrderRow[];
  onClear: () => void;
  /** Keeps only the failed orders selected. */
  onKeep: (orders: readonly { account_id: string; order_number: string }[]) => void;
  onDone: () => void;
}) {
  /** The question is about the orders that were selected when it appeared, even if some leave the queue meanwhile. */
  const [asking, setAsking] = useState<{ row: Row; about: readonly DashboardOrderRow[] } | null>(null);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  const [sent, setSent] = useState(0);
  const [setting, setSetting] = useState(false);
  const change = useChange(async (row: Row, about: typeof orders, more: Given) => {
    setSent(0);
    const result = await sendBulk({ event: row.event, ...more }, about, setSent);
    setAsking(null);
    if (row.event === "print") {
      const refused = new Set(result.refused.map(orderPath));
      const ready = about.filter((one) => !refused.has(orderPath(one)));
      if (ready.length > 0) await openPrints(ready);
    }
    if (result.refused.length === 0) {
      toast(say("{label}: {done} done.", { label: row.label, done: numberText(result.done) }));
      // The same orders go to the carrier next.
      if (row.event !== "print") onClear();
    } else {
      setOutcome(result);
      onKeep(result.refused);
    }
    onDone();
  });
  const most = queue === "pack" ? MOST_PRINTED_ORDERS : Number.POSITIVE_INFINITY;
  const offered = rows.filter(({ queues: only }) => only === undefined || (only as string[]).includes(queue ?? ""));
  return (
    <>
      {orders.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: not a form
        <div role="group" aria-label={say("Selected orders")} className={styles["bulk"]}>
          <strong>{say("{count} selected", { count: numberText(orders.length) })}</strong>
          {offered.map((row) => (
            <Button
              key={row.event}
              small
              icon={row.icon}
              tone={row.event === "cancel" ? "danger" : "plain"}
              busy={change.busy}
              disabled={row.event === "print" && orders.length > most}
              title={
                row.event === "print" && orders.length > most
                  ? say("Print at most {most} orders at once.", { most })
                  : undefined
              }
              onClick={() =>
                row.reason || row.warning || row.colleague
                  ? setAsking({ row, about: orders })
                  : void change.run(row, orders, {})
              }
            >
              {row.label}
            </Button>
          ))}
          {queue === "pack" && (
            <Button small tone="quiet" onClick={() => setSetting(true)}>
              {say("Print settings")}
            </Button>
          )}
          <span role="status" className="quiet">
            {change.busy && say("{sent} of {count}…", { sent: numberText(sent), count: numberText(orders.length) })}
          </span>
          <Button small tone="quiet" keys="Escape" onClick={onClear}>
            {say("Clear")}
          </Button>
        </div>
      )}
      {change.error !== null && asking === null && <Problem error={change.error} />}
      {asking?.row.warning !== undefined && (
        <BulkQuestion
          label={asking.row.label}
          warning={asking.row.warning}
          orders={asking.about}
          busy={change.busy}
          error={change.error}
          onClose={() => setAsking(null)}
          onConfirm={() => void change.run(asking.row, asking.about, {})}
        />
      )}
      {asking?.row.reason && (
        <ReasonDialog
          row={asking.row}
          orders={asking.about}
          busy={change.busy}
          error={change.error}
          onClose={() => setAsking(null)}
          onSubmit={(more) => void change.run(asking.row, asking.about, more)}
        />
      )}
      {asking?.row.colleague && (
        <Assign
          orders={asking.about.length}
          busy={change.busy}
          error={change.error}
          onClose={() => setAsking(null)}
          onSubmit={(person_id) => void change.run(asking.row, asking.about, { person_id })}
        />
      )}
      {setting && <StationDialog onClose={() => setSetting(false)} />}
      {outcome && <BulkReport outcome={outcome} onClose={() => setOutcome(null)} />}
    </>
  );
}

function ReasonDialog({
  row,
  orders,
  busy,
  error,
  onClose,
  onSubmit,
}: {
  row: Row;
  orders: readonly DashboardOrderRow[];
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onSubmit: (more: { reason: string; exception_id?: ExceptionId }) => void;
}) {
  const [reason, setReason] = useState("");
  // The server refuses to resolve the others in bulk: a pharmacist decides each of them on the order's own page.
  const open = [...new Set(orders.flatMap(({ exception_ids }) => exception_ids))]
    .filter((id) => exceptions[id].overridden_by !== "pharmacist")
    .sort();
  const nothing = row.event === "resolve" && open.length === 0;
  const [exception_id, setException] = useState(String(open[0] ?? ""));
  return (
    <Dialog
      title={`${row.label}: ${counted(orders.length, "order")}`}
      onClose={onClose}
      onSubmit={() =>
        onSubmit({ reason, ...(row.event === "resolve" && { exception_id: Number(exception_id) as ExceptionId }) })
      }
      actions={
        <Button tone={row.event === "cancel" ? "danger" : "primary"} type="submit" busy={busy} disabled={nothing}>
          {row.label}
        </Button>
      }
    >
      {nothing && <p>{say("A pharmacist must resolve these exceptions on each order's own page.")}</p>}
      {row.event === "resolve" && !nothing && (
        <SelectField
          label={say("Exception")}
          options={open.map((id) => [String(id), sayName(exceptions[id].name)] as const)}
          value={exception_id}
          onChange={(event) => setException(event.target.value)}
        />
      )}
      <TextArea
        label={row.event === "note" ? say("Note") : say("Reason")}
        required
        autoFocus
        maxLength={NOTE_CHARACTERS}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {error !== null && <Problem error={error} />}
    </Dialog>
  );
}
