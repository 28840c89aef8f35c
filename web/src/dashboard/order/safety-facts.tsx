import {
  NOTE_CHARACTERS,
  type RemovedSafetyEntry,
  type RevealedOrder,
  SAFETY_TEXT_CHARACTERS,
  type SafetyEntry,
  type SafetyKind,
  safetyKindNames,
  safetyKinds,
} from "@pestle/contract";
import { type ReactNode, useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { SelectField, TextArea, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { pharmacists } from "../roles.ts";
import { statusNames } from "../safety-status.ts";
import { fromTexts, removedText } from "./clinical/source-texts.ts";
import styles from "./order-screen.module.css";
import type { orderApi } from "./use-order.ts";

const kindNames: Record<SafetyKind, { one: string; all: string }> = {
  allergy: { one: say("Allergy"), all: say("Allergies") },
  medication: { one: say("Medication"), all: say("Medications") },
  condition: { one: say("Condition"), all: say("Conditions") },
};

type Props = {
  path: ReturnType<typeof orderApi>;
  shown: RevealedOrder;
  onChange: (next: RevealedOrder) => void;
};

/** Allergies, medications and conditions with their sources. Removed entries stay visible with the reason. */
export function SafetyFacts({ path, shown, onChange }: Props) {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<SafetyEntry | null>(null);
  const { role } = useSignedIn();
  const may_remove = pharmacists.includes(role);
  const { patient_safety } = shown.patient;
  return (
    <>
      {safetyKindNames.map((kind) => {
        const current = patient_safety.entries.filter((entry) => entry.kind === kind);
        const removed = shown.removed_entries.filter((entry) => entry.kind === kind);
        const status = patient_safety[safetyKinds[kind].status];
        return (
          <section key={kind} className={styles["facts-of-kind"]}>
            <h3>
              {kindNames[kind].all}
              {status !== "listed" && `: ${statusNames[status]}`}
            </h3>
            {current.length + removed.length > 0 && (
              <ul className={`${styles["entries"]} ${styles["entries-plain"]}`}>
                {current.map((entry) => (
                  <li key={entry.entry_id}>
                    <div>
                      <p>{entry.text}</p>
                      <Recorded entry={entry} />
                    </div>
                    {may_remove && (
                      <Button
                        small
                        aria-label={say("Remove {text}", { text: entry.text })}
                        onClick={() => setRemoving(entry)}
                      >
                        {say("Remove")}
                      </Button>
                    )}
                  </li>
                ))}
                {removed.map((entry) => (
                  <Removed key={entry.entry_id} entry={entry} />
                ))}
              </ul>
            )}
          </section>
        );
      })}
      <div className="row">
        <Button small onClick={() => setAdding(true)}>
          {say("Add allergy, medication or condition")}
        </Button>
      </div>
      {adding && <AddDialog path={path} onClose={() => setAdding(false)} onChange={onChange} />}
      {removing && <RemoveDialog path={path} entry={removing} onClose={() => setRemoving(null)} onChange={onChange} />}
    </>
  );
}

const Recorded = ({ entry: { source, recorded_at } }: { entry: SafetyEntry }) => (
  <p className="small quiet">
    {fromTexts[source]}
    {recorded_at !== null && (
      <>
        , <When at={recorded_at} />
      </>
    )}
  </p>
);

function Removed({ entry }: { entry: RemovedSafetyEntry }) {
  const { text, removed } = entry;
  return (
    <li className={styles["removed"]}>
      <div>
        <p>
          <del>{text}</del>
        </p>
        <Recorded entry={entry} />
        <p className="small">{removedText[removed.by]({ when: <When at={removed.at} />, reason: removed.reason })}</p>
      </div>
    </li>
  );
}

type DialogProps = Omit<Props, "shown"> & { onClose: () => void };

function AddDialog(props: DialogProps) {
  const [kind, setKind] = useState<SafetyKind>("allergy");
  const [text, setText] = useState("");
  const { path } = props;
  return (
    <EntryDialog
      {...props}
      title={say("Add allergy, medication or condition")}
      action={say("Add")}
      tone="primary"
      done={say("Recorded.")}
      send={() => api(`${path}/safety_entries`, { method: "POST", body: { kind, text } })}
    >
      <SelectField
        label={say("Kind")}
        options={safetyKindNames.map((name) => [name, kindNames[name].one] as const)}
        value={kind}
        onChange={(event) => setKind(event.target.value as SafetyKind)}
      />
      <TextField
        label={say("Name")}
        required
        autoFocus
        maxLength={SAFETY_TEXT_CHARACTERS}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </EntryDialog>
  );
}

function RemoveDialog({ entry, ...props }: DialogProps & { entry: SafetyEntry }) {
  const [reason, setReason] = useState("");
  const { entry_id, text } = entry;
  const { path } = props;
  return (
    <EntryDialog
      {...props}
      title={say("Remove {text}", { text })}
      action={say("Remove")}
      tone="danger"
      done={say("Removed.")}
      send={() => api(`${path}/safety_entries/remove`, { method: "POST", body: { entry_id, reason } })}
    >
      <p>{say("The record keeps the entry with your reason.")}</p>
      <TextArea
        label={say("Reason")}
        required
        autoFocus
        maxLength={NOTE_CHARACTERS}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </EntryDialog>
  );
}

type EntryDialogProps = DialogProps & {
  title: string;
  action: string;
  tone: "primary" | "danger";
  done: string;
  send: () => Promise<RevealedOrder>;
  children: ReactNode;
};

/** One change of the entries. The answer is the record after it. */
function EntryDialog({ path, title, action, tone, done, send, onClose, onChange, children }: EntryDialogProps) {
  const change = useChange(send, {
    done,
    reads: [path],
    after: (next) => {
      onChange(next);
      onClose();
    },
  });
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void change.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone={tone} type="submit" busy={change.busy}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {change.error !== null && <Problem error={change.error} />}
    </Dialog>
  );
}
