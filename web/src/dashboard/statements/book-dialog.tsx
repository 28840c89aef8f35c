import type { DashboardAccount } from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { say } from "../../ui/words/say.tsx";
import { accountName } from "../accounts.tsx";

/** Adds a fee or a credit. The key stays the same while the dialog is open, so a second click books nothing. */
export function BookDialog({ account, onClose }: { account: DashboardAccount; onClose: () => void }) {
  const [key] = useState(() => crypto.randomUUID());
  const [kind, setKind] = useState<"fee" | "credit">("fee");
  const [amount, setAmount] = useState("");
  const [description, setDescription] = useState("");
  const [order_number, setOrderNumber] = useState("");
  const [on, setOn] = useState("");
  const path = `/dashboard/statements/${account.account_id}` as const;
  const book = useChange(
    () =>
      api(path, {
        method: "POST",
        body: {
          kind,
          amount_cents: centsOf(amount),
          description,
          key,
          ...(order_number.trim() !== "" && { order_number: order_number.trim() }),
          ...(on !== "" && { on }),
        },
      }),
    {
      reads: [path],
      after: () => {
        toast(kind === "fee" ? say("Fee added.") : say("Credit added."));
        onClose();
      },
    },
  );
  const problem = problemOf(book.error, "amount_cents");
  return (
    <Dialog
      title={say("Fee or credit for {account}", { account: accountName(account) })}
      onClose={onClose}
      onSubmit={() => void book.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={book.busy}>
            {kind === "fee" ? say("Add fee") : say("Add credit")}
          </Button>
        </>
      }
    >
      <SelectField
        label={say("Kind")}
        autoFocus
        options={[
          ["fee", say("Fee: the partner owes more")],
          ["credit", say("Credit: the partner owes less")],
        ]}
        value={kind}
        onChange={({ target }) => setKind(target.value as "fee" | "credit")}
      />
      <TextField
        label={say("Amount in dollars")}
        required
        inputMode="decimal"
        pattern="\d{1,7}(\.\d{1,2})?"
        title={say("An amount such as 25 or 25.00")}
        value={amount}
        onChange={({ target }) => setAmount(target.value)}
        problem={problem}
      />
      <TextField
        label={say("What it is for")}
        hint={say("The partner reads it. Do not write patient data.")}
        required
        maxLength={200}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <TextField
        label={say("Order (optional)")}
        spellCheck={false}
        maxLength={10}
        value={order_number}
        onChange={({ target }) => setOrderNumber(target.value)}
      />
      <TextField
        label={say("Day (optional)")}
        type="date"
        hint={say("A day of a month that is still open. Without it, the line has today's date.")}
        value={on}
        onChange={({ target }) => setOn(target.value)}
      />
      {book.error !== null && !problem && <Problem error={book.error} />}
    </Dialog>
  );
}

/** Cents of an amount that the field's pattern allows. */
function centsOf(amount: string): number {
  const [dollars = "0", cents = ""] = amount.trim().split(".");
  return Number(dollars) * 100 + Number(cents.padEnd(2, "0"));
}
