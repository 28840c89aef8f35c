import {
  type ActionField,
  actions,
  type ExceptionId,
  holdButton,
  isActionKey,
  type PortalOrder,
  type PortalOrderAction,
} from "@pestle/contract";
import { useState } from "react";
import { ApiError, api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { SuggestedSpelling } from "../../ui/suggested-spelling.tsx";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { ActionFieldInput, type FieldValue, initialValue, sentValue } from "./action-field.tsx";

/** Requests an order action. The contract's action table defines the form fields. */
export function ActionDialog({
  shown: { order, suggested_address },
  action,
  exception_id,
  onClose,
}: {
  shown: PortalOrder;
  action: PortalOrderAction;
  /** The exception to resolve. */
  exception_id: ExceptionId | null;
  onClose: () => void;
}) {
  const { api_base } = usePortal();
  const { event_key } = action;
  const label = sayName((exception_id !== null && holdButton(exception_id, event_key)) || action.action);
  const fields = fieldsOf(event_key).filter(
    ({ only_exceptions }) => only_exceptions?.some((id) => id === exception_id) ?? true,
  );
  const [values, setValues] = useState<Record<string, FieldValue>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, initialValue(field, order)])),
  );
  const ask = useChange(
    () =>
      api(`${api_base}/orders/${order.order_number}/actions`, {
        method: "POST",
        body: {
          event: event_key,
          ...(exception_id !== null && { exception_id }),
          ...Object.fromEntries(
            fields.flatMap((field) => {
              const sent = sentValue(field, values[field.name]!);
              return sent === undefined ? [] : [[field.name, sent]];
            }),
          ),
        },
      }),
    {
      done: say("Done: {label}.", { label }),
      reads: (["/orders", "/exceptions", "/home", "/webhook_events"] as const).map(
        (path) => `${api_base}${path}` as const,
      ),
      after: onClose,
    },
  );
  const named = { order: <span className="mono">{order.order_number}</span> };
  // Field errors show next to their field, all others below.
  const elsewhere =
    ask.error !== null &&
    !(
      ask.error instanceof ApiError &&
      ask.error.problems.length > 0 &&
      ask.error.problems.every(({ field }) => fields.some(({ name }) => field === name || field.startsWith(`${name}.`)))
    );
  return (
    <Dialog
      title={label}
      onClose={onClose}
      onSubmit={() => void ask.run()}
      actions={
        <>
          <Button onClick={onClose}>{event_key === "cancel" ? say("Keep order") : say("Cancel")}</Button>
          <Button
            tone={event_key === "cancel" ? "danger" : "primary"}
            type="submit"
            busy={ask.busy}
            data-first={(fields.length === 0 && event_key !== "cancel") || undefined}
          >
            {label}
          </Button>
        </>
      }
    >
      {fields.length === 0 && (
        <p>
          {event_key === "cancel"
            ? sayWith("For order {order}. You cannot undo this. You can order its prescriptions again.", named)
            : sayWith("For order {order}.", named)}{" "}
          {event_key === "accept_suggested_address" && (
            <Suggested given={order.address} suggestion={suggested_address} />
          )}
        </p>
      )}
      {fields.map((field) => (
        <ActionFieldInput
          key={field.name}
          field={field}
          order={order}
          value={values[field.name]!}
          error={ask.error}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      {elsewhere && <Problem error={ask.error} />}
    </Dialog>
  );
}

function Suggested({
  given,
  suggestion,
}: {
  given: PortalOrder["order"]["address"];
  suggestion: PortalOrder["suggested_address"];
}) {
  if (given === null || suggestion === null) return say("The address check has no suggestion.");
  return (
    <>
      {sayWith("New address: {address}", {
        address: <SuggestedSpelling given={given} suggestion={suggestion} />,
      })}
    </>
  );
}

const fieldsOf = (event_key: string): readonly ActionField[] =>
  isActionKey(event_key) ? actions[event_key].fields : [];
