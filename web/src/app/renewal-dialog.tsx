import { RENEWAL_NOTE_MOST_CHARACTERS, type RenewalRequestInput } from "@pestle/contract";
import { type ReactNode, useState } from "react";
import { TextArea, TextField } from "../ui/controls/field.tsx";
import { say } from "../ui/words/say.tsx";
import { problemOf } from "./api.ts";
import { Confirm } from "./confirm.tsx";
import type { Change } from "./use-change.ts";

/** Asks the prescriber to renew a prescription (RxRenewalRequest). */
export function RenewalDialog({
  confirm,
  change,
  onClose,
  children,
}: {
  confirm: string;
  change: Change<[RenewalRequestInput], unknown>;
  onClose: () => void;
  children?: ReactNode;
}) {
  const [refills, setRefills] = useState("");
  const [note, setNote] = useState("");
  const problems = { refills: problemOf(change.error, "refills"), note: problemOf(change.error, "note") };
  const send = {
    ...change,
    // A field shows its own problem.
    error: problems.refills || problems.note ? null : change.error,
    run: () => change.run({ refills: refills === "" ? null : Number(refills), note: note.trim() === "" ? null : note }),
  };
  return (
    <Confirm title={say("Ask for a renewal")} confirm={confirm} tone="primary" change={send} onClose={onClose}>
      {children}
      <TextField
        label={say("Refills")}
        hint={say("Leave it empty to ask for as many as the prescription had.")}
        type="number"
        min={0}
        max={99}
        autoFocus
        value={refills}
        onChange={({ target }) => setRefills(target.value)}
        problem={problems.refills}
      />
      <TextArea
        label={say("Note to the prescriber")}
        maxLength={RENEWAL_NOTE_MOST_CHARACTERS}
        value={note}
        onChange={({ target }) => setNote(target.value)}
        problem={problems.note}
      />
    </Confirm>
  );
}
