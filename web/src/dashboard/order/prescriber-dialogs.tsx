import {
  CHANGE_REASON_MOST_CHARACTERS,
  type ChangeCode,
  changeCodeNames,
  changeCodes,
  RENEWAL_NOTE_MOST_CHARACTERS,
} from "@pestle/contract";
import { type ReactNode, useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { type Change, useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextArea, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";

type Path = `/dashboard/orders/${string}/${string}/prescriptions`;

/** Asks the prescriber to renew the prescription (RxRenewalRequest). */
export function RenewalDialog({
  path,
  reads,
  onClose,
}: {
  path: `${Path}/${number}/renewal_requests`;
  reads: Path;
  onClose: () => void;
}) {
  const [refills, setRefills] = useState("");
  const [note, setNote] = useState("");
  const send = useChange(
    () =>
      api(path, {
        method: "POST",
        body: { refills: refills === "" ? null : Number(refills), note: note.trim() === "" ? null : note },
      }),
    { done: "The request is sent to the prescriber.", reads: [reads], after: onClose },
  );
  return (
    <Asking title="Ask for a renewal" change={send} onClose={onClose}>
      <TextField
        label="Refills"
        hint="Leave it empty to ask for as many as the prescription had."
        type="number"
        min={0}
        max={99}
        autoFocus
        value={refills}
        onChange={({ target }) => setRefills(target.value)}
      />
      <TextArea
        label="Note to the prescriber"
        maxLength={RENEWAL_NOTE_MOST_CHARACTERS}
        value={note}
        onChange={({ target }) => setNote(target.value)}
      />
    </Asking>
  );
}

/** Asks the prescriber to clarify or change the prescription (RxChangeRequest). */
export function ChangeDialog({
  path,
  reads,
  onClose,
}: {
  path: `${Path}/${number}/change_requests`;
  reads: Path;
  onClose: () => void;
}) {
  const [code, setCode] = useState<ChangeCode>("S");
  const [reason, setReason] = useState("");
  const [service, setService] = useState("");
  const evaluation = code === "D";
  const send = useChange(
    () =>
      api(path, {
        method: "POST",
        body: {
          code,
          reason: reason.trim() === "" ? null : reason.trim(),
          service_reason: evaluation ? service.trim().toUpperCase() : null,
        },
      }),
    { done: "The question is sent to the prescriber.", reads: [reads], after: onClose },
  );
  return (
    <Asking title="Ask the prescriber" change={send} onClose={onClose}>
      <SelectField
        label="What you ask for"
        options={changeCodeNames.map((name) => [name, sentence(changeCodes[name])] as const)}
        value={code}
        onChange={({ target }) => setCode(target.value as ChangeCode)}
      />
      {evaluation && (
        <TextField
          label="Service reason"
          hint="The two letters of the standard, such as DD for an interaction or TD for a duplicate therapy."
          required
          pattern="[A-Za-z]{2}"
          maxLength={2}
          value={service}
          onChange={({ target }) => setService(target.value)}
        />
      )}
      <TextArea
        label="Question"
        required={code === "S"}
        maxLength={CHANGE_REASON_MOST_CHARACTERS}
        value={reason}
        // The standard allows one line.
        onChange={({ target }) => setReason(target.value.replaceAll(/[\r\n]+/g, " "))}
      />
    </Asking>
  );
}

function Asking({
  title,
  change,
  onClose,
  children,
}: {
  title: string;
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
          <Button tone="primary" type="submit" busy={change.busy}>
            Send
          </Button>
        </>
      }
    >
      {children}
      {change.error !== null && <Problem error={change.error} />}
    </Dialog>
  );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
