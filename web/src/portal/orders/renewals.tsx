import { type PortalRenewals, RENEWAL_NOTE_MOST_CHARACTERS } from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { TextArea, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { RenewalBadge, RenewalFacts } from "../../ui/renewal-state.tsx";
import { usePortal } from "../account.tsx";

/** The requests for renewal of a prescription, and a button for another one. The server audits each read. */
export function Renewals({ prescription_id, used_up }: { prescription_id: number; used_up: boolean }) {
  const { api_base, may_change } = usePortal();
  const [asking, setAsking] = useState(false);
  const path = `${api_base}/prescriptions/${prescription_id}/renewal_requests` as const;
  const found = useApi(path, { written_down: true });
  return (
    <Loaded query={found} lines={1}>
      {(renewals) => (
        <>
          <Requests {...renewals} />
          {/* While there are refills, the missing button needs no explanation. */}
          {used_up &&
            renewals.problems.map(({ code, message }) => (
              <p key={code} className="quiet small">
                {message}
              </p>
            ))}
          {may_change && renewals.problems.length === 0 && (
            <p>
              <Button small onClick={() => setAsking(true)}>
                Ask for a renewal
              </Button>
            </p>
          )}
          {asking && <RenewalDialog path={path} prescription_id={prescription_id} onClose={() => setAsking(false)} />}
        </>
      )}
    </Loaded>
  );
}

function Requests({ renewal_requests }: PortalRenewals) {
  return renewal_requests.map((request) => (
    <div key={request.renewal_request_id}>
      <p className="row">
        Renewal <RenewalBadge {...request} />
      </p>
      <RenewalFacts {...request} />
    </div>
  ));
}

function RenewalDialog({
  path,
  prescription_id,
  onClose,
}: {
  path: `/portal/${"production" | "sandbox"}/prescriptions/${number}/renewal_requests`;
  prescription_id: number;
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
    { done: "The pharmacy asks the prescriber.", reads: [path], after: onClose },
  );
  const problems = { refills: problemOf(send.error, "refills"), note: problemOf(send.error, "note") };
  return (
    <Dialog
      title="Ask for a renewal"
      onClose={onClose}
      onSubmit={() => void send.run()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" type="submit" busy={send.busy}>
            Ask
          </Button>
        </>
      }
    >
      <p>The pharmacy asks the prescriber to renew prescription {prescription_id}.</p>
      <TextField
        label="Refills"
        hint="Leave it empty to ask for as many as the prescription had."
        type="number"
        min={0}
        max={99}
        autoFocus
        value={refills}
        onChange={({ target }) => setRefills(target.value)}
        problem={problems.refills}
      />
      <TextArea
        label="Note to the prescriber"
        maxLength={RENEWAL_NOTE_MOST_CHARACTERS}
        value={note}
        onChange={({ target }) => setNote(target.value)}
        problem={problems.note}
      />
      {send.error !== null && !problems.refills && !problems.note && <Problem error={send.error} />}
    </Dialog>
  );
}
