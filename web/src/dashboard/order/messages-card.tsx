import {
  type DashboardMessage,
  type DashboardOrder,
  exceptions,
  MESSAGE_MOST_CHARACTERS,
  type QuestionExceptionId,
  questionExceptionIds,
  questionExceptions,
} from "@pestle/contract";
import { type RefObject, useRef, useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextArea } from "../../ui/controls/field.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { Thread } from "../../ui/display/thread.tsx";
import { questionStates } from "../../ui/question-state.ts";
import { say, sayName } from "../../ui/words/say.tsx";
import { orderApi } from "./use-order.ts";

/** The thread with the partner, and a form to write to them. The server audits each read. */
export function MessagesCard({ page }: { page: DashboardOrder }) {
  const { account_id, order, partner } = page;
  const path = orderApi({ account_id, order_number: order.order_number });
  const thread = useApi(`${path}/messages`, { written_down: true });
  const [replied, setReplied] = useState<DashboardMessage | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const write = (to: DashboardMessage | null) => {
    setReplied(to);
    field.current?.focus();
  };
  useShortcuts([{ keys: "m", label: say("Write to the partner"), run: () => write(replied) }]);
  const messages = thread.data?.messages ?? [];
  const states = questionStates(messages, order.exceptions);
  const unanswered = [...states.values()].filter((state) => state === "unanswered").length;
  return (
    <Card
      title={say("Messages")}
      actions={
        unanswered > 0 && (
          <Badge tone="wait">{counted(unanswered, "question unanswered", "questions unanswered")}</Badge>
        )
      }
    >
      <div className="stack">
        <Loaded query={thread} lines={3}>
          {() =>
            messages.length === 0 ? (
              <p className="quiet">{say("No messages yet. {partner} reads what you write here.", { partner })}</p>
            ) : (
              <Thread
                messages={messages}
                states={states}
                nameOf={({ author, written_by }) => (author === "partner" ? partner : (written_by ?? say("Pharmacy")))}
                reply={{ label: ({ author }) => (author === "partner" ? say("Reply") : null), run: write }}
              />
            )
          }
        </Loaded>
        <MessageForm page={page} replied={replied} field={field} onSent={() => setReplied(null)} onReplied={write} />
      </div>
    </Card>
  );
}

/** A question holds the order with one of the exceptions that an answer can end. */
function MessageForm({
  page: { account_id, order, partner, revision, can_raise },
  replied,
  field,
  onSent,
  onReplied,
}: {
  page: DashboardOrder;
  replied: DashboardMessage | null;
  field: RefObject<HTMLTextAreaElement | null>;
  onSent: () => void;
  onReplied: (to: null) => void;
}) {
  const path = orderApi({ account_id, order_number: order.order_number });
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState("");
  const offered = questionExceptionIds.filter((id) => can_raise.includes(id));
  const asked = offered.find((id) => String(id) === chosen) ?? null;
  const send = useChange(
    (exception_id: QuestionExceptionId | null) =>
      api(`${path}/messages`, {
        method: "POST",
        body: {
          text,
          ...(replied && { in_reply_to: replied.message_id }),
          ...(exception_id !== null && { exception_id, revision }),
        },
      }),
    {
      done: asked === null ? say("Message sent.") : say("Question sent. The order is on hold."),
      reads: asked === null ? [`${path}/messages`] : [path],
      after: () => {
        setText("");
        setChosen("");
        onSent();
      },
    },
  );
  const problem = problemOf(send.error, "text");
  return (
    <form
      className="stack-tight"
      onSubmit={(event) => {
        event.preventDefault();
        void send.run(asked);
      }}
    >
      {replied && (
        <p className="row small">
          <span className="clip quiet">{say("Reply to “{text}”", { text: replied.text })}</span>
          <Button small tone="quiet" icon="close" onClick={() => onReplied(null)}>
            {say("Remove")}
          </Button>
        </p>
      )}
      <TextArea
        ref={field}
        label={say("Message to {partner}", { partner })}
        required
        maxLength={MESSAGE_MOST_CHARACTERS}
        value={text}
        onChange={({ target }) => setText(target.value)}
        problem={problem}
      />
      {offered.length > 0 && (
        <SelectField
          label={say("Hold the order until the partner answers")}
          options={[
            ["", say("No, only send the message")],
            ...offered.map(
              (id) =>
                [String(id), say("Yes: {exception} ({id})", { exception: sayName(exceptions[id].name), id })] as const,
            ),
          ]}
          value={chosen}
          onChange={({ target }) => setChosen(target.value)}
          hint={
            asked === null
              ? say("Choose what you ask about. The order stops until the partner answers.")
              : say("A question about {about}. The answer ends the hold, and the order returns to its queue.", {
                  about: sayName(questionExceptions[asked].about),
                })
          }
        />
      )}
      {send.error !== null && !problem && <Problem error={send.error} />}
      <div className="row">
        <Button tone="primary" type="submit" busy={send.busy}>
          {asked === null ? say("Send") : say("Send and hold")}
        </Button>
      </div>
    </form>
  );
}
