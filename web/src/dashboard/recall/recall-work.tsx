import {
  type DashboardRecall,
  MESSAGE_MOST_CHARACTERS,
  MOST_NOTICES,
  type RecallRequest,
  type RecallRow,
} from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextArea } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { say } from "../../ui/words/say.tsx";
import { BulkReport } from "../bulk-report.tsx";
import { reviewers } from "../roles.ts";
import type { BulkOutcome } from "../send-bulk.ts";
import styles from "./recall-screen.module.css";
import { isInside, orderKey } from "./recall-totals.ts";

/** The order cannot leave with this package. Its partner sees Inventory Delayed until the order is filled from another lot. */
const HELD_WITH = 76;

/** What staff do about a recalled lot: quarantine it, hold the orders that have not shipped, tell the partners. */
export function RecallWork({
  asked,
  found,
  chosen,
  onChoose,
  onDone,
}: {
  asked: RecallRequest;
  found: DashboardRecall;
  chosen: ReadonlySet<string>;
  onChoose: (keys: ReadonlySet<string>) => void;
  onDone: () => void;
}) {
  const { role } = useSignedIn();
  const may = reviewers.includes(role);
  const [telling, setTelling] = useState(false);
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null);
  const all = new Map(found.packages.map((row) => [orderKey(row), row]));
  const selected = [...all].flatMap(([key, row]) => (chosen.has(key) ? row : []));
  const to_hold = selected.filter((row) => isInside(row) && row.order_status !== "On Hold");
  const quarantined = found.quarantines.length > 0;
  const quarantine = useChange(
    () => api("/dashboard/recall/quarantine", { method: "POST", body: { ...asked, on: !quarantined } }),
    { after: onDone },
  );
  const report = (result: BulkOutcome, said: string) => {
    if (result.refused.length === 0) toast(`${said}: ${counted(result.done, "order")}.`);
    else setOutcome(result);
    onDone();
  };
  const hold = useChange(async () => {
    const reason = `Lot ${asked.lot} is recalled.`;
    const orders = to_hold.map(({ account_id, order_number }) => ({ account_id, order_number }));
    const body = { event: "raise_exception" as const, exception_id: HELD_WITH as 76, reason, orders };
    const { done, results } = await api("/dashboard/bulk", { method: "POST", body });
    report({ done, refused: results.filter((one) => !one.done) }, say("On hold"));
  });
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: not a form */}
      <div role="group" aria-label={say("Recall steps")} className={styles["work"]}>
        {may && (
          <Button
            icon="hold"
            tone={quarantined ? "plain" : "primary"}
            busy={quarantine.busy}
            onClick={() => void quarantine.run()}
          >
            {quarantined ? say("End quarantine") : say("Quarantine lot")}
          </Button>
        )}
        <Button onClick={() => onChoose(chosen.size === all.size ? new Set() : new Set(all.keys()))}>
          {chosen.size === all.size
            ? say("Select none")
            : say("Select all {orders}", { orders: counted(all.size, "order") })}
        </Button>
        <Button icon="hold" disabled={to_hold.length === 0} busy={hold.busy} onClick={() => void hold.run()}>
          {to_hold.length === 0
            ? say("Hold orders")
            : say("Hold {orders}", { orders: counted(to_hold.length, "order") })}
        </Button>
        {may && (
          <Button icon="message" disabled={selected.length === 0} onClick={() => setTelling(true)}>
            {selected.length === 0
              ? say("Tell partners")
              : say("Tell partners of {orders}", { orders: counted(selected.length, "order") })}
          </Button>
        )}
      </div>
      {quarantine.error !== null && <Problem error={quarantine.error} />}
      {hold.error !== null && <Problem error={hold.error} />}
      {telling && (
        <TellDialog
          lot={asked.lot}
          orders={selected}
          onClose={() => setTelling(false)}
          onDone={(result) => {
            setTelling(false);
            report(result, say("Message sent"));
          }}
        />
      )}
      {outcome && <BulkReport outcome={outcome} onClose={() => setOutcome(null)} />}
    </>
  );
}

function TellDialog({
  lot,
  orders,
  onClose,
  onDone,
}: {
  lot: string;
  orders: readonly RecallRow[];
  onClose: () => void;
  onDone: (outcome: BulkOutcome) => void;
}) {
  const names = [...new Set(orders.map(({ name }) => name))].join(", ");
  const [text, setText] = useState(
    `Lot ${lot} of ${names} is recalled, and this order has packages of it. If the patient has the package, tell the patient not to use it. We will write again with the next steps.`,
  );
  const [sent, setSent] = useState(0);
  const send = useChange(async () => {
    const outcome: BulkOutcome = { done: 0, refused: [] };
    for (let at = 0; at < orders.length; at += MOST_NOTICES) {
      const named = orders
        .slice(at, at + MOST_NOTICES)
        .map(({ account_id, order_number }) => ({ account_id, order_number }));
      const body = { lot, text, orders: named };
      const { done, results } = await api("/dashboard/recall/notices", { method: "POST", body });
      outcome.done += done;
      outcome.refused.push(...results.filter((one) => !one.done));
      setSent(at + named.length);
    }
    onDone(outcome);
  });
  return (
    <Dialog
      title={say("Tell the partners of {orders}", { orders: counted(orders.length, "order") })}
      onClose={onClose}
      onSubmit={() => void send.run()}
      actions={
        <>
          <span role="status" className="quiet">
            {send.busy && say("{sent} of {count}…", { sent, count: orders.length })}
          </span>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={send.busy}>
            {say("Send")}
          </Button>
        </>
      }
    >
      <TextArea
        label={say("Message")}
        hint={say(
          "Each order's partner gets it once for this lot, as a message about the order. Do not name the patient.",
        )}
        required
        autoFocus
        rows={5}
        maxLength={MESSAGE_MOST_CHARACTERS}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {send.error !== null && <Problem error={send.error} />}
    </Dialog>
  );
}
