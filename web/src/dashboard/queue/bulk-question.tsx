import type { DashboardOrderRow } from "@pestle/contract";
import { Problem } from "../../app/problem.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { counted } from "../../ui/counted.ts";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say } from "../../ui/words/say.tsx";

/** Asks before a step on many orders. The focus is on Cancel, so that one more Enter changes nothing. */
export function BulkQuestion({
  label,
  warning,
  orders: about,
  busy,
  error,
  onClose,
  onConfirm,
}: {
  label: string;
  warning: string;
  orders: readonly DashboardOrderRow[];
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const orders = counted(about.length, "order");
  return (
    <Dialog
      title={say("{action} {orders}?", { action: label, orders })}
      onClose={onClose}
      onSubmit={onConfirm}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={busy}>
            {say("{action} {orders}", { action: label, orders })}
          </Button>
        </>
      }
    >
      <p>{warning}</p>
      {error !== null && <Problem error={error} />}
    </Dialog>
  );
}
