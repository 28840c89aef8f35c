import { mentionedIn } from "@pestle/contract";
import { useRef } from "react";
import { useSignedIn } from "../../../app/sign-in/session.ts";
import { Button } from "../../../ui/controls/button.tsx";
import { say } from "../../../ui/words/say.tsx";
import { useColleagues } from "../../use-colleagues.ts";
import { completed, suggestedColleagues } from "./suggested-colleagues.ts";

/** Completes `@Name` below a note, and says whom the note will notify. */
export function MentionHelp({ text, write }: { text: string; write: (text: string) => void }) {
  const me = useSignedIn().person_id;
  const others = (useColleagues().data?.colleagues ?? []).filter(({ person_id }) => person_id !== me);
  const frame = useRef<HTMLDivElement>(null);
  const suggested = suggestedColleagues(text, others);
  const notified = mentionedIn(text, others);
  const choose = (colleague: (typeof others)[number]) => {
    write(completed(text, colleague));
    frame.current?.closest("dialog")?.querySelector("textarea")?.focus();
  };
  return (
    <div ref={frame} className="stack-tight">
      {suggested.length > 0 && (
        <ul className="row" aria-label={say("Colleagues to mention")}>
          {suggested.map((colleague) => (
            <li key={colleague.person_id}>
              <Button small icon="person" onClick={() => choose(colleague)}>
                {colleague.name}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <p className="small quiet" role="status">
        {notified.length > 0 && say("Notifies {names}.", { names: notified.map(({ name }) => name).join(", ") })}
      </p>
    </div>
  );
}
