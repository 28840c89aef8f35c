import { type DashboardOrder, orderStatusReasons } from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { moneyText } from "../../ui/money.ts";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import styles from "./order-screen.module.css";
import type { DoWork } from "./use-order.ts";

const kinds = {
  authorisation: say("Authorized"),
  capture: say("Captured"),
  void: say("Voided"),
  refund: say("Refunded"),
  fee: say("Provider fee"),
  dispute: say("Disputed"),
} as const;

/** Payer, charges and refunds. */
export function PaymentsCard({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const [refunding, setRefunding] = useState(false);
  const { payment } = page.order;
  return (
    <Card
      title={say("Payment")}
      actions={
        page.can.includes("refund") && (
          <Button small onClick={() => setRefunding(true)}>
            {say("Refund")}
          </Button>
        )
      }
    >
      <div className="stack-tight">
        <Facts
          facts={[
            [say("Payer"), payment.payer === "partner" ? say("Partner") : say("Patient")],
            [say("Amount"), moneyText(payment.amount_cents, payment.currency)],
            [
              say("Status"),
              <Badge key="status" tone={payment.status === "declined" ? "bad" : "neutral"}>
                {sayName(payment.status)}
              </Badge>,
            ],
            [say("Refunded"), payment.refunded_cents > 0 && moneyText(payment.refunded_cents, payment.currency)],
          ]}
        />
        {page.payments.length > 0 && (
          <ul className={`${styles["entries"]} ${styles["entries-plain"]}`}>
            {page.payments.map((line) => (
              <li key={`${line.at} ${line.kind} ${line.amount_cents}`}>
                <p>
                  {line.state === "asked"
                    ? say("{payment} (pending)", { payment: kinds[line.kind] })
                    : kinds[line.kind]}{" "}
                  {moneyText(line.amount_cents, payment.currency)}
                  {line.reason && <span className="quiet"> {line.reason}</span>}
                </p>
                {line.problem && (
                  <p className="small">
                    <Badge tone="bad">{say("Refused by the provider: {problem}", { problem: line.problem })}</Badge>
                  </p>
                )}
                <span className="quiet small">
                  <When at={line.at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {refunding && <RefundDialog page={page} work={work} onClose={() => setRefunding(false)} />}
    </Card>
  );
}

function RefundDialog({ page, work, onClose }: { page: DashboardOrder; work: DoWork; onClose: () => void }) {
  const [reason_id, setReason] = useState<string>(String(orderStatusReasons[0].id));
  const [amount, setAmount] = useState("");
  const close = () => {
    work.forget();
    onClose();
  };
  const send = async () => {
    const part = amount === "" ? {} : { amount_cents: Math.round(Number(amount) * 100) };
    const answer = await work.run({ event: "refund", reason_id: Number(reason_id), ...part }, say("Refunded."));
    if (answer !== undefined) onClose();
  };
  return (
    <Dialog
      title={say("Refund")}
      onClose={close}
      onSubmit={() => void send()}
      actions={
        <>
          <Button onClick={close}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={work.busy}>
            {say("Refund")}
          </Button>
        </>
      }
    >
      <SelectField
        label={say("Reason")}
        options={orderStatusReasons.map(({ id, name }) => [String(id), sayName(name)] as const)}
        value={reason_id}
        onChange={(event) => setReason(event.target.value)}
      />
      <TextField
        label={say("Amount in {currency}", { currency: page.order.payment.currency })}
        hint={say("Leave empty to refund the full remaining amount.")}
        type="number"
        min="0.01"
        step="0.01"
        inputMode="decimal"
        value={amount}
        onChange={(event) => setAmount(event.target.value)}
      />
      {work.error !== null && <Problem error={work.error} />}
    </Dialog>
  );
}
