import { type ExceptionId, exceptions, NOTE_CHARACTERS } from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextArea } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import type { Drafts } from "./reason-dialog.tsx";
import type { DoWork } from "./use-order.ts";

const TITLE = "Hold order";

/** Places an order on hold with an exception. The partner sees which one. */
export function HoldDialog({
  can_raise,
  drafts,
  work,
  onClose,
  onSubmit,
}: {
  can_raise: readonly ExceptionId[];
  drafts: Drafts;
  work: DoWork;
  onClose: () => void;
  onSubmit: (given: { exception_id: ExceptionId; reason: string }) => void;
}) {
  const [chosen, setChosen] = useState(String(can_raise[0] ?? ""));
  const [reason, setReason] = useState(drafts.get(TITLE) ?? "");
  const id = Number(chosen) as ExceptionId;
  const row = exceptions[id];
  const close = () => {
    work.forget();
    onClose();
  };
  return (
    <Dialog
      title={TITLE}
      onClose={close}
      onSubmit={() => onSubmit({ exception_id: id, reason })}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button tone="primary" type="submit" busy={work.busy}>
            Hold
          </Button>
        </>
      }
    >
      <SelectField
        label="Exception"
        autoFocus
        options={can_raise.map((one) => [String(one), `${exceptions[one].name} (${one})`] as const)}
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
        hint={row && `The partner sees: ${row.message}`}
      />
      <TextArea
        label="Reason"
        hint="Visible to pharmacy staff only."
        required
        maxLength={NOTE_CHARACTERS}
        value={reason}
        onChange={({ target: { value } }) => {
          drafts.set(TITLE, value);
          setReason(value);
        }}
      />
      {work.error !== null && <Problem error={work.error} />}
    </Dialog>
  );
}
