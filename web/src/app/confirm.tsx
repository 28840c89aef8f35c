import type { ReactNode } from "react";
import { Button, type ButtonTone } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/display/dialog.tsx";
import { say } from "../ui/words/say.tsx";
import { Problem } from "./problem.tsx";
import type { Change } from "./use-change.ts";

/** Asks before an action, for more data or because it is hard to undo. `change` closes the dialog when it succeeds. */
export function Confirm({
  title,
  confirm,
  cancel = say("Cancel"),
  tone = "danger",
  change,
  onClose,
  children,
}: {
  title: ReactNode;
  /** Button label. Name the action, not "OK". */
  confirm: string;
  /** Another label if the action itself cancels something. */
  cancel?: string;
  tone?: ButtonTone;
  change: Change<[], unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void change.run()}
      actions={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button tone={tone} type="submit" busy={change.busy}>
            {confirm}
          </Button>
        </>
      }
    >
      {children}
      {change.error !== null && <Problem error={change.error} />}
    </Dialog>
  );
}
