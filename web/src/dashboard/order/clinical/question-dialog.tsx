import {
  type DashboardOrder,
  exceptions,
  MESSAGE_MOST_CHARACTERS,
  type QuestionExceptionId,
  questionExceptionIds,
  questionExceptions,
} from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../../app/api.ts";
import { Problem } from "../../../app/problem.tsx";
import { useNavigate } from "../../../app/router/router.tsx";
import { useShortcuts } from "../../../app/shell/shortcuts.ts";
import { useChange } from "../../../app/use-change.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { SelectField, TextArea } from "../../../ui/controls/field.tsx";
import { Dialog } from "../../../ui/display/dialog.tsx";
import { say, sayName } from "../../../ui/words/say.tsx";
import { orderPath } from "../../order-link.ts";
import { placeInWorkList } from "../../work-list.ts";
import { orderApi } from "../use-order.ts";

/** Which exceptions a question to the partner can hold this order with. */
const askable = ({ can_raise }: DashboardOrder) => questionExceptionIds.filter((id) => can_raise.includes(id));

/** One key asks the partner and holds the order, and the next order of the list opens. */
export function QuestionButton({ page }: { page: DashboardOrder }) {
  const [open, setOpen] = useState(false);
  const offered = askable(page);
  const may = offered.length > 0;
  useShortcuts(may ? [{ keys: "q", label: say("Ask the partner a question"), run: () => setOpen(true) }] : []);
  if (!may) return null;
  return (
    <>
      <Button small icon="message" keys="q" onClick={() => setOpen(true)}>
        {say("Ask the partner")}
      </Button>
      {open && <QuestionDialog page={page} offered={offered} onClose={() => setOpen(false)} />}
    </>
  );
}

function QuestionDialog({
  page: { account_id, order, partner, revision },
  offered,
  onClose,
}: {
  page: DashboardOrder;
  offered: readonly QuestionExceptionId[];
  onClose: () => void;
}) {
  const place = { account_id, order_number: order.order_number };
  const path = orderApi(place);
  const navigate = useNavigate();
  const next = placeInWorkList(place)?.next;
  const [chosen, setChosen] = useState("");
  const [text, setText] = useState("");
  const asked = offered.find((id) => String(id) === chosen) ?? null;
  const send = useChange(
    (exception_id: QuestionExceptionId) =>
      api(`${path}/messages`, { method: "POST", body: { text, exception_id, revision } }),
    {
      done: say("Question sent. The order is on hold."),
      reads: next ? [] : [path],
      after: () => {
        onClose();
        if (next) void navigate({ to: orderPath(next) });
      },
    },
  );
  const problem = problemOf(send.error, "text");
  return (
    <Dialog
      title={say("Ask {partner}", { partner })}
      onClose={onClose}
      onSubmit={() => asked !== null && void send.run(asked)}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={send.busy}>
            {next ? say("Send, hold and open the next order") : say("Send and hold")}
          </Button>
        </>
      }
    >
      <SelectField
        label={say("What you ask about")}
        required
        autoFocus
        options={[
          ["", say("Choose")],
          ...offered.map(
            (id) =>
              [
                String(id),
                `${sentence(sayName(questionExceptions[id].about))}: ${sayName(exceptions[id].name)}`,
              ] as const,
          ),
        ]}
        value={chosen}
        onChange={({ target }) => setChosen(target.value)}
        hint={say("The order stops until the partner answers.")}
      />
      <TextArea
        label={say("Question")}
        required
        maxLength={MESSAGE_MOST_CHARACTERS}
        value={text}
        onChange={({ target }) => setText(target.value)}
        problem={problem}
      />
      {send.error !== null && !problem && <Problem error={send.error} />}
    </Dialog>
  );
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
