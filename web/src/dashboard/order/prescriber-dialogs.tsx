import {
  CHANGE_REASON_MOST_CHARACTERS,
  type ChangeCode,
  changeCodeNames,
  changeCodes,
  type RenewalRequestInput,
} from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Confirm } from "../../app/confirm.tsx";
import { RenewalDialog } from "../../app/renewal-dialog.tsx";
import { useChange } from "../../app/use-change.ts";
import { SelectField, TextArea, TextField } from "../../ui/controls/field.tsx";
import { say, sayName } from "../../ui/words/say.tsx";

type Path = `/dashboard/orders/${string}/${string}/prescriptions`;

/** The pharmacy asks for a renewal. */
export function AskRenewal({
  path,
  reads,
  onClose,
}: {
  path: `${Path}/${number}/renewal_requests`;
  reads: Path;
  onClose: () => void;
}) {
  const change = useChange((body: RenewalRequestInput) => api(path, { method: "POST", body }), {
    done: say("The request is sent to the prescriber."),
    reads: [reads],
    after: onClose,
  });
  return <RenewalDialog confirm={say("Send")} change={change} onClose={onClose} />;
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
    { done: say("The question is sent to the prescriber."), reads: [reads], after: onClose },
  );
  return (
    <Confirm title={say("Ask the prescriber")} confirm={say("Send")} tone="primary" change={send} onClose={onClose}>
      <SelectField
        label={say("What you ask for")}
        options={changeCodeNames.map((name) => [name, sentence(sayName(changeCodes[name]))] as const)}
        value={code}
        onChange={({ target }) => setCode(target.value as ChangeCode)}
      />
      {evaluation && (
        <TextField
          label={say("Service reason")}
          hint={say("The two letters of the standard, such as DD for an interaction or TD for a duplicate therapy.")}
          required
          pattern="[A-Za-z]{2}"
          maxLength={2}
          value={service}
          onChange={({ target }) => setService(target.value)}
        />
      )}
      <TextArea
        label={say("Question")}
        required={code === "S"}
        maxLength={CHANGE_REASON_MOST_CHARACTERS}
        value={reason}
        // The standard allows one line.
        onChange={({ target }) => setReason(target.value.replaceAll(/[\r\n]+/g, " "))}
      />
    </Confirm>
  );
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
