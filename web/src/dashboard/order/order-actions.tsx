import type { DashboardOrder, WorkEvent } from "@pestle/contract";
import { useRef, useState } from "react";
import { type Shortcut, useShortcuts } from "../../app/shell/shortcuts.ts";
import { Button, type ButtonTone } from "../../ui/controls/button.tsx";
import type { IconName } from "../../ui/icon.tsx";
import { HoldDialog } from "./hold-dialog.tsx";
import styles from "./order-screen.module.css";
import { ReasonDialog, useDrafts } from "./reason-dialog.tsx";
import type { DoWork, Work } from "./use-order.ts";

type Row = {
  event: WorkEvent;
  label: string;
  icon: IconName;
  tone?: ButtonTone;
  keys?: string;
  /** Said once it is done. */
  done: string;
  /** Asked for before it is sent. */
  asks?: "reason" | "exception";
};

/**
 * What stands above an order. The others stand where they belong: the fill form, the product check, each exception, the
 * address, payments and shipments.
 */
const rows: readonly Row[] = [
  { event: "approve_review", label: "Approve the review", icon: "check", tone: "primary", done: "Approved." },
  { event: "ship", label: "Ship", icon: "truck", tone: "primary", done: "Shipped. The label can be printed." },
  { event: "deliver", label: "Mark as delivered", icon: "check", tone: "primary", done: "Delivered." },
  { event: "claim", label: "Work on it", icon: "person", keys: "c", done: "It is yours for 15 minutes." },
  { event: "release", label: "Let go", icon: "person", keys: "c", done: "Others can work on it." },
  { event: "raise_exception", label: "Hold", icon: "hold", keys: "h", done: "Held.", asks: "exception" },
  { event: "note", label: "Note", icon: "note", keys: "n", done: "Noted.", asks: "reason" },
  { event: "cancel", label: "Cancel", icon: "close", tone: "danger", done: "Canceled.", asks: "reason" },
];

/** Buttons for what may be done now, and why what one would expect may not. */
export function OrderActions({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const [asking, setAsking] = useState<Row | null>(null);
  const drafts = useDrafts();
  const next = useRef<HTMLDivElement>(null);
  const offered = rows.filter(({ event }) => page.can.includes(event));
  const start = (row: Row) => (row.asks ? setAsking(row) : void work.run({ event: row.event } as Work, row.done));
  const why_not = page.cannot.filter(({ event }) => rows.some((row) => row.event === event && row.tone === "primary"));
  useShortcuts([
    {
      keys: "a",
      label: "Go to the next step; Enter does it",
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
          {rows.find((row) => row.event === event)?.label}: {message}
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
      {asking?.asks === "reason" && (
        <ReasonDialog
          title={asking.event === "cancel" ? "Cancel the order" : "Write a note"}
          label={asking.event === "cancel" ? "Reason" : "Note"}
          hint={
            asking.event === "cancel"
              ? "The patient's units and the stock are given back. This cannot be undone."
              : "Only people of the pharmacy read it."
          }
          submit={asking.event === "cancel" ? "Cancel the order" : "Write it down"}
          danger={asking.event === "cancel"}
          drafts={drafts}
          work={work}
          onClose={() => setAsking(null)}
          onSubmit={(reason) => void send({ event: asking.event as "cancel" | "note", reason })}
        />
      )}
    </div>
  );
}
