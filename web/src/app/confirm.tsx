import type { ReactNode } from "react";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/display/dialog.tsx";
import { Problem } from "./problem.tsx";
import type { Change } from "./use-change.ts";

/** Asks for confirmation before an action that is hard to undo. `change` closes the dialog when it succeeds. */
export function Confirm({
  title,
  confirm,
  change,
  onClose,
  children,
}: {
  title: ReactNode;
  /** Button label. Name the action, not "OK". */
  confirm: string;
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
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="danger" type="submit" busy={change.busy}>
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
