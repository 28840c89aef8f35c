import {
  type CounselingFill,
  type CounselingOutcome,
  type CounselingRequest,
  type CounselingWay,
  counselingOutcomeNames,
  counselingOutcomes,
  counselingWays,
  NOTE_CHARACTERS,
  type RevealedCounseling,
} from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextArea } from "../../ui/controls/field.tsx";
import { Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { toast } from "../../ui/display/toast.tsx";
import { dateText, When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import styles from "./counseling-screen.module.css";
import { fillKey } from "./use-counseling.ts";

/** The patient's phone number on request, what colleagues recorded, and a new entry. */
export function RecordDialog({ fill, onClose }: { fill: CounselingFill; onClose: () => void }) {
  const path = `/dashboard/counseling/${fillKey(fill)}` as const;
  const [patient, setPatient] = useState<RevealedCounseling | null>(null);
  const [given, setGiven] = useState<{ outcome: CounselingOutcome; how: CounselingWay; note: string }>({
    outcome: "given",
    how: "phone",
    note: "",
  });
  const ways: readonly CounselingWay[] = counselingOutcomes[given.outcome].ways;
  const reveal = useChange(() => api(`${path}/reveal`, { method: "POST" }), { after: setPatient });
  const save = useChange(
    () => {
      const note = given.note.trim();
      const { outcome, how } = given;
      const body: CounselingRequest = { outcome, how, entries: fill.entries.length, ...(note !== "" && { note }) };
      return api(path, { method: "POST", body });
    },
    {
      reads: ["/dashboard/counseling"],
      after: () => {
        toast(say("{name}: recorded.", { name: sayName(counselingOutcomes[given.outcome].name) }));
        onClose();
      },
    },
  );
  return (
    <Dialog
      title={say("Counseling: {drug_name}", { drug_name: fill.drug_name })}
      onClose={onClose}
      onSubmit={() => void save.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={save.busy}>
            {say("Record")}
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          [say("Patient"), patient === null ? fill.patient_initials : `${patient.first_name} ${patient.last_name}`],
          [say("Date of birth"), patient && dateText(patient.dob)],
          [say("Phone"), patient && <PhoneNumber phone={patient.phone} />],
          [say("Rule"), `${fill.rule.says} (${fill.rule.source})`],
        ]}
      />
      {patient === null && (
        <div className="row">
          <Button icon="eye" busy={reveal.busy} onClick={() => void reveal.run()}>
            {say("Reveal phone number")}
          </Button>
          <span className="quiet small">{say("The audit log records it.")}</span>
        </div>
      )}
      {reveal.error !== null && <Problem error={reveal.error} />}
      {fill.entries.length > 0 && (
        <ul className={styles["entries"]} aria-label={say("Earlier entries")}>
          {fill.entries.map((entry) => (
            <li key={entry.entry_number}>
              <strong>{sayName(counselingOutcomes[entry.outcome].name)}</strong>,{" "}
              {sayName(counselingWays[entry.how]).toLowerCase()}, {entry.who}, <When at={entry.at} />
              <Note patient={patient} entry={entry} />
            </li>
          ))}
        </ul>
      )}
      <SelectField
        label={say("Outcome")}
        autoFocus
        options={counselingOutcomeNames.map((one) => [one, sayName(counselingOutcomes[one].name)] as const)}
        value={given.outcome}
        onChange={({ target }) => {
          const outcome = target.value as CounselingOutcome;
          const open: readonly CounselingWay[] = counselingOutcomes[outcome].ways;
          setGiven({ ...given, outcome, how: open.includes(given.how) ? given.how : open[0]! });
        }}
      />
      <SelectField
        label={say("How")}
        options={ways.map((one) => [one, sayName(counselingWays[one])] as const)}
        value={given.how}
        onChange={({ target }) => setGiven({ ...given, how: target.value as CounselingWay })}
      />
      <TextArea
        label={say("Note (optional)")}
        hint={say("Encrypted. Colleagues see it after they reveal the phone number.")}
        maxLength={NOTE_CHARACTERS}
        value={given.note}
        onChange={({ target }) => setGiven({ ...given, note: target.value })}
      />
      {save.error !== null && <Problem error={save.error} />}
    </Dialog>
  );
}

const PhoneNumber = ({ phone }: { phone: string | null }) =>
  phone === null ? (
    say("None on file")
  ) : (
    <a href={`tel:+1${phone}`} className={`mono ${styles["phone"]}`}>
      {phone.replace(/^(\d{3})(\d{3})(\d{4})$/, "($1) $2-$3")}
    </a>
  );

function Note({ patient, entry }: { patient: RevealedCounseling | null; entry: CounselingFill["entries"][number] }) {
  if (!entry.has_note) return null;
  const note = patient?.notes.find(({ entry_number }) => entry_number === entry.entry_number)?.note;
  return <span className={styles["under"]}>{note ?? say("Has a note. Reveal the phone number to read it.")}</span>;
}
