import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/button.tsx";
import { Keys } from "../../ui/controls/keys.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import styles from "./help.module.css";

const steps: readonly { title: string; text: ReactNode }[] = [
  {
    title: say("Welcome to the dashboard"),
    text: (
      <>
        <p>
          {say(
            "The navigation has a queue for each kind of work: clinical review, fill, product check, pack and ship. The number beside a queue is how many orders are in it.",
          )}
        </p>
        <p>{say("The home page shows what is late. Start there.")}</p>
      </>
    ),
  },
  {
    title: say("Find anything"),
    text: (
      <p>
        {sayWith(
          "Press {search_keys} and type a phone number, an order number, a lot or a tracking number. Press {shortcut_keys} for all keyboard shortcuts.",
          { search_keys: <Keys keys="/" />, shortcut_keys: <Keys keys="?" /> },
        )}
      </p>
    ),
  },
  {
    title: say("Work on an order"),
    text: (
      <>
        <p>
          {sayWith(
            "Claim an order, or assign it to a colleague. The page shows only the steps that are possible now: {keys} moves to the next step, and Enter takes it. You can undo a step for ten seconds.",
            { keys: <Keys keys="a" /> },
          )}
        </p>
        <p>{say("Names and addresses are hidden until you reveal them, and the audit log records who looked.")}</p>
      </>
    ),
  },
  {
    title: say("Work together"),
    text: (
      <p>
        {say(
          "Write @ and a name in a note to notify a colleague. The bell at the top shows what concerns you. The question mark next to it explains the page that you are on.",
        )}
      </p>
    ),
  },
];

/** What a new user needs to know, in a few steps. Escape or Skip ends it. */
export function Tour({ onClose }: { onClose: () => void }) {
  const [at, setAt] = useState(0);
  const { title, text } = steps[at]!;
  const last = at === steps.length - 1;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          {!last && <Button onClick={onClose}>{say("Skip")}</Button>}
          {at > 0 && <Button onClick={() => setAt(at - 1)}>{say("Previous")}</Button>}
          <Button tone="primary" data-first onClick={() => (last ? onClose() : setAt(at + 1))}>
            {last ? say("Done") : say("Next")}
          </Button>
        </>
      }
    >
      <div className={styles["step"]} aria-live="polite">
        {text}
        <p className="small quiet">{say("Step {step} of {count}", { step: at + 1, count: steps.length })}</p>
      </div>
    </Dialog>
  );
}
