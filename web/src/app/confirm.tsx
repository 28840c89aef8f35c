import type { ReactNode } from "react";
import { Button } from "../ui/controls/button.tsx";
import { Dialog } from "../ui/display/dialog.tsx";
import { Problem } from "./problem.tsx";
import type { Change } from "./use-change.ts";

/** Asks before something that cannot simply be taken back. `change` closes it once that is done. */
export function Confirm({
  title,
  confirm,
  change,
  onClose,
  children,
}: {
  title: ReactNode;
  /** What the button says: the deed, not "OK". */
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
          <Button onClick={onClose}>Keep it as it is</Button>
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
