import type { ReactNode } from "react";
import { Problem } from "../app/problem.tsx";
import type { Change } from "../app/use-change.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Asks before something that cannot be taken back. It closes once that is done. */
export function Confirm({
  title,
  confirm,
  change,
  onClose,
  children,
}: {
  title: string;
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
      onSubmit={async () => {
        await change.run();
      }}
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
