import { type ExceptionId, exceptions, NOTE_CHARACTERS } from "@pestle/contract";
import { useState } from "react";
import { Problem } from "../../app/problem.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextArea } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import type { Drafts } from "./reason-dialog.tsx";
import type { DoWork } from "./use-order.ts";

const TITLE = say("Hold order");

/** What staff find themselves comes first. Only the partner holds an order for no reason of the pharmacy. */
const FOUND_BY_STAFF: readonly ExceptionId[] = [72, 69, 70, 71, 74, 75];
const PARTNER_HOLD: ExceptionId = 64;
const inOrder = (ids: readonly ExceptionId[]): readonly ExceptionId[] => {
  const rank = (id: ExceptionId) => {
    if (id === PARTNER_HOLD) return 2_000;
    const place = FOUND_BY_STAFF.indexOf(id);
    return place === -1 ? id : place - FOUND_BY_STAFF.length;
  };
  return ids.toSorted((a, b) => rank(a) - rank(b));
};

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
  const offered = inOrder(can_raise);
  const [chosen, setChosen] = useState(String(offered[0] ?? ""));
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
          <Button onClick={close}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={work.busy}>
            {say("Hold")}
          </Button>
        </>
      }
    >
      <SelectField
        label={say("Exception")}
        autoFocus
        options={offered.map((one) => [String(one), `${sayName(exceptions[one].name)} (${one})`] as const)}
        value={chosen}
        onChange={(event) => setChosen(event.target.value)}
        hint={row && say("The partner sees: {message}", { message: row.message })}
      />
      <TextArea
        label={say("Reason")}
        hint={say("Visible to pharmacy staff only.")}
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
