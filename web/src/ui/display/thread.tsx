import { exceptions, type Message } from "@pestle/contract";
import type { ReactNode } from "react";
import { Badge, type Tone } from "../badge.tsx";
import { Button } from "../controls/button.tsx";
import type { QuestionState } from "../question-state.ts";
import { When } from "../time.tsx";
import { say, sayName } from "../words/say.tsx";
import styles from "./thread.module.css";

const stateBadges: Record<QuestionState, { tone: Tone; text: string }> = {
  unanswered: { tone: "wait", text: say("Unanswered") },
  answered: { tone: "good", text: say("Answered") },
  still_held: { tone: "wait", text: say("Answered, still on hold") },
  ended: { tone: "neutral", text: say("Hold ended without an answer") },
};

/** The messages between partner and pharmacy about an order, oldest first. */
export function Thread<Shown extends Message>({
  messages,
  states,
  nameOf,
  reply,
}: {
  messages: readonly Shown[];
  states: ReadonlyMap<string, QuestionState>;
  nameOf: (message: Shown) => ReactNode;
  /** Offers a button below the messages that the user can answer. */
  reply?: { label: (message: Shown) => string | null; run: (message: Shown) => void };
}) {
  const byId = new Map(messages.map((message) => [message.message_id, message]));
  return (
    <ol className={styles["thread"]} aria-label={say("Messages, oldest first")}>
      {messages.map((message) => {
        const { message_id, author, text, created_at, in_reply_to, exception_id } = message;
        const state = states.get(message_id);
        const replied = in_reply_to === null ? undefined : byId.get(in_reply_to);
        const label = reply?.label(message) ?? null;
        return (
          <li key={message_id} data-author={author} data-unanswered={state === "unanswered" || undefined}>
            <p className={styles["head"]}>
              <strong>{nameOf(message)}</strong>
              <span className="quiet small">
                <When at={created_at} />
              </span>
              {exception_id !== null && (
                <Badge>{say("Question about {name}", { name: sayName(exceptions[exception_id].name) })}</Badge>
              )}
              {state && <Badge tone={stateBadges[state].tone}>{stateBadges[state].text}</Badge>}
            </p>
            {replied && <p className={styles["replied"]}>{say("Answers “{text}”", { text: replied.text })}</p>}
            <p className={styles["text"]} data-as-typed>
              {text}
            </p>
            {label !== null && (
              <Button small onClick={() => reply?.run(message)}>
                {label}
              </Button>
            )}
          </li>
        );
      })}
    </ol>
  );
}
