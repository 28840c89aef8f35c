import { NOTE_CHARACTERS } from "@pestle/contract";
import { type ReactNode, useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextArea } from "../../ui/field.tsx";
import type { DoWork } from "./use-order.ts";

/** Asks why, before something is done that somebody will want to understand later. */
export function ReasonDialog({
  title,
  label = "Reason",
  hint,
  submit,
  danger = false,
  work,
  onClose,
  onSubmit,
}: {
  title: ReactNode;
  label?: string;
  hint?: ReactNode;
  submit: string;
  danger?: boolean;
  work: DoWork;
  onClose: () => void;
  onSubmit: (reason: string) => void;
}) {
  const [reason, setReason] = useState("");
  const close = () => {
    work.forget();
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={close}
      onSubmit={() => onSubmit(reason)}
      actions={
        <>
          <Button onClick={close}>Back</Button>
          <Button tone={danger ? "danger" : "primary"} type="submit" busy={work.busy}>
            {submit}
          </Button>
        </>
      }
    >
      <TextArea
        label={label}
        hint={hint}
        required
        autoFocus
        maxLength={NOTE_CHARACTERS}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {work.error !== null && <Problem error={work.error} />}
    </Dialog>
  );
}
