import type { DashboardOrder, WorkEvent } from "@pestle/contract";
import { useRef, useState } from "react";
import { keepHeldStep, useHeldStep } from "../../app/held-step.ts";
import { useNavigate } from "../../app/router/router.tsx";
import { type Shortcut, useShortcuts } from "../../app/shell/shortcuts.ts";
import { Button, type ButtonTone } from "../../ui/controls/button.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { say } from "../../ui/words/say.tsx";
import { Assign } from "../assign.tsx";
import { orderPath } from "../order-link.ts";
import { placeInWorkList } from "../work-list.ts";
import { HoldDialog } from "./hold-dialog.tsx";
import styles from "./order-screen.module.css";
import { MentionHelp } from "./people/mention-help.tsx";
import { ReasonDialog, useDrafts } from "./reason-dialog.tsx";
import { HeldBar } from "./step/held-bar.tsx";
import type { DoWork, Work } from "./use-order.ts";

type Row = {
  event: WorkEvent;
  label: string;
  icon: IconName;
  tone?: ButtonTone;
  keys?: string;
  /** Confirmation message. */
  done: string;
  /** Input to ask for first. */
  asks?: "reason" | "exception" | "colleague";
};

/**
 * The buttons above an order. Other actions are in their own cards: fill, product check, packing, exceptions, address, payments
 * and shipments.
 */
const rows: readonly Row[] = [
  { event: "approve_review", label: say("Approve review"), icon: "check", tone: "primary", done: say("Approved.") },
  {
    event: "ship",
    label: say("Handed to carrier"),
    icon: "truck",
    tone: "primary",
    done: say("Shipped. The payment is charged."),
  },
  // Never the next step: the carrier reports a delivery, and a second press of the key for the hand-over must not mark it.
  { event: "deliver", label: say("Mark delivered"), icon: "check", done: say("Marked delivered.") },
  { event: "claim", label: say("Claim"), icon: "person", keys: "c", done: say("Claimed for 15 minutes.") },
  { event: "release", label: say("Release"), icon: "person", keys: "c", done: say("Released.") },
  { event: "assign", label: say("Assign"), icon: "people", keys: "A", done: say("Assigned."), asks: "colleague" },
  {
    event: "raise_exception",
    label: say("Hold"),
    icon: "hold",
    keys: "h",
    done: say("Order on hold."),
    asks: "exception",
  },
  { event: "note", label: say("Note"), icon: "note", keys: "n", done: say("Note added."), asks: "reason" },
  { event: "cancel", label: say("Cancel"), icon: "close", tone: "danger", done: say("Canceled."), asks: "reason" },
];

/** Buttons for the available actions, with reasons why an expected action is unavailable. */
export function OrderActions({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const [asking, setAsking] = useState<Row | null>(null);
  const drafts = useDrafts();
  const next = useRef<HTMLDivElement>(null);
  const held = useHeldStep();
  const place = { account_id: page.account_id, order_number: page.order.order_number };
  const own = orderPath(place);
  const offered = held?.page === own ? [] : rows.filter(({ event }) => page.can.includes(event));
  const navigate = useNavigate();
  const start = (row: Row) => {
    if (row.asks) return setAsking(row);
    void work.run({ event: row.event } as Work, row.done);
    const following = row.event === "approve_review" ? placeInWorkList(place)?.next : undefined;
    if (following === undefined) return;
    keepHeldStep();
    void navigate({ to: orderPath(following) });
  };
  const why_not = page.cannot.filter(({ event }) => rows.some((row) => row.event === event && row.tone === "primary"));
  useShortcuts([
    {
      keys: "a",
      label: say("Focus the next step; press Enter to run it"),
      run: () => document.querySelector<HTMLElement>("[data-next-step]")?.focus(),
    },
    ...offered.flatMap((row): Shortcut[] =>
      row.keys ? [{ keys: row.keys, label: row.label, run: () => start(row) }] : [],
    ),
  ]);
  const send = async (more: Work) => {
    if ((await work.run(more, asking?.done)) === undefined) return;
    drafts.clear();
    setAsking(null);
  };
  return (
    <div ref={next} className={styles["actions"]}>
      {held && <HeldBar step={held} own={own} />}
      {offered.map((row) => (
        <Button
          key={row.event}
          tone={row.tone}
          icon={row.icon}
          keys={row.tone === "primary" ? "a" : row.keys}
          busy={work.busy}
          data-next-step={row.tone === "primary" || undefined}
          onClick={() => start(row)}
        >
          {row.label}
        </Button>
      ))}
      {why_not.map(({ event, message }) => (
        <span key={event} className={styles["why-not"]}>
          {rows.find((row) => row.event === event)?.label}: <span lang="en">{message}</span>
        </span>
      ))}
      {asking?.asks === "exception" && (
        <HoldDialog
          can_raise={page.can_raise}
          drafts={drafts}
          work={work}
          onClose={() => setAsking(null)}
          onSubmit={(given) => void send({ event: "raise_exception", ...given })}
        />
      )}
      {asking?.asks === "colleague" && (
        <Assign
          busy={work.busy}
          error={work.error}
          onClose={() => {
            work.forget();
            setAsking(null);
          }}
          onSubmit={(person_id) => void send({ event: "assign", person_id })}
        />
      )}
      {asking?.asks === "reason" && (
        <ReasonDialog
          title={asking.event === "cancel" ? say("Cancel order") : say("Add note")}
          label={asking.event === "cancel" ? say("Reason") : say("Note")}
          hint={
            asking.event === "cancel"
              ? say("Releases the stock and returns the units to the patient's prescription. You cannot undo this.")
              : say("Visible to pharmacy staff only. Type @ and a name to notify a colleague.")
          }
          submit={asking.event === "cancel" ? say("Cancel order") : say("Add note")}
          close={asking.event === "cancel" ? say("Keep order") : say("Cancel")}
          danger={asking.event === "cancel"}
          drafts={drafts}
          work={work}
          onClose={() => setAsking(null)}
          {...(asking.event === "note" && { below: (text, write) => <MentionHelp text={text} write={write} /> })}
          onSubmit={(reason) => void send({ event: asking.event as "cancel" | "note", reason })}
        />
      )}
    </div>
  );
}
