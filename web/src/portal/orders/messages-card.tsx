import { MESSAGE_MOST_CHARACTERS, type Message, type Order } from "@pestle/contract";
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
import { Card } from "../../ui/display/card.tsx";
import { Thread } from "../../ui/display/thread.tsx";
import { questionStates } from "../../ui/question-state.ts";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

/** The thread with the pharmacy. An answer to a question that holds the order ends the hold. */
export function MessagesCard({ order }: { order: Order }) {
  const { api_base, may_change } = usePortal();
  const path = `${api_base}/orders/${encodeURIComponent(order.order_number)}/messages` as const;
  const thread = useApi(path, { written_down: true });
  const [chosen, setChosen] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const messages = thread.data?.messages ?? [];
  const states = questionStates(messages, order.exceptions);
  const unanswered = messages.filter(({ message_id }) => states.get(message_id) === "unanswered");
  // Unless the user chooses otherwise, they answer the oldest open question.
  const reply_to = chosen ?? unanswered[0]?.message_id ?? "";
  const write = (message_id: string | null) => {
    setChosen(message_id);
    field.current?.focus();
  };
  useShortcuts(may_change ? [{ keys: "m", label: say("Write to the pharmacy"), run: () => write(chosen) }] : []);
  return (
    <Card
      title={say("Messages")}
      actions={
        unanswered.length > 0 && (
          <Badge tone="wait">
            {unanswered.length === 1
              ? say("1 question for you")
              : say("{count} questions for you", { count: unanswered.length })}
          </Badge>
        )
      }
    >
      <div className="stack">
        <Loaded query={thread} lines={3}>
          {() =>
            messages.length === 0 ? (
              <p className="quiet">{say("No messages yet.")}</p>
            ) : (
              <Thread
                messages={messages}
                states={states}
                nameOf={({ author }) => (author === "partner" ? say("You") : say("Pharmacy"))}
                {...(may_change && {
                  reply: {
                    label: ({ author, message_id }: Message) =>
                      author === "partner"
                        ? null
                        : states.get(message_id) === "unanswered"
                          ? say("Answer")
                          : say("Reply"),
                    run: ({ message_id }: Message) => write(message_id),
                  },
                })}
              />
            )
          }
        </Loaded>
        {may_change && thread.data && (
          <MessageForm
            path={path}
            messages={messages}
            reply_to={reply_to}
            ends={unanswered.some(({ message_id }) => message_id === reply_to)}
            field={field}
            onReplyTo={setChosen}
          />
        )}
      </div>
    </Card>
  );
}

function MessageForm({
  path,
  messages,
  reply_to,
  ends,
  field,
  onReplyTo,
}: {
  path: `/portal/${"production" | "sandbox"}/orders/${string}/messages`;
  messages: readonly Message[];
  /** Empty: a new message. */
  reply_to: string;
  /** Whether the message answers a question that holds the order. */
  ends: boolean;
  field: RefObject<HTMLTextAreaElement | null>;
  onReplyTo: (message_id: string | null) => void;
}) {
  const { api_base } = usePortal();
  const [text, setText] = useState("");
  const send = useChange(
    () => api(path, { method: "POST", body: { text, ...(reply_to !== "" && { in_reply_to: reply_to }) } }),
    {
      done: ends ? say("Answer sent.") : say("Message sent."),
      reads: ends
        ? (["/orders", "/exceptions", "/home"] as const).map((read) => `${api_base}${read}` as const)
        : [path],
      after: () => {
        setText("");
        onReplyTo(null);
      },
    },
  );
  const problem = problemOf(send.error, "text");
  const written = messages.filter(({ author }) => author === "pharmacy");
  return (
    <form
      className="stack-tight"
      onSubmit={(event) => {
        event.preventDefault();
        void send.run();
      }}
    >
      {written.length > 0 && (
        <SelectField
          label={say("In reply to")}
          options={[
            ["", say("Nothing, a new message")],
            ...written.map(({ message_id, text: said }) => [message_id, shortened(said)] as const),
          ]}
          value={reply_to}
          onChange={({ target }) => onReplyTo(target.value)}
        />
      )}
      <TextArea
        ref={field}
        label={ends ? say("Your answer") : say("Message to the pharmacy")}
        hint={ends ? say("Your answer ends the hold of this question.") : undefined}
        required
        maxLength={MESSAGE_MOST_CHARACTERS}
        value={text}
        onChange={({ target }) => setText(target.value)}
        problem={problem}
      />
      {send.error !== null && !problem && <Problem error={send.error} />}
      <div className="row">
        <Button tone="primary" type="submit" busy={send.busy}>
          {ends ? say("Send answer") : say("Send")}
        </Button>
      </div>
    </form>
  );
}

const OPTION_CHARACTERS = 80;
const shortened = (text: string) =>
  text.length > OPTION_CHARACTERS ? `${text.slice(0, OPTION_CHARACTERS - 1)}…` : text;
