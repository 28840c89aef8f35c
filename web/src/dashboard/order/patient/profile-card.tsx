import type {
  DashboardPatient,
  IdentityDocument,
  PatientAddress,
  RevealedPatient,
  SafetySource,
} from "@pestle/contract";
import { useState } from "react";
import { api } from "../../../app/api.ts";
import { Problem } from "../../../app/problem.tsx";
import { useShortcuts } from "../../../app/shell/shortcuts.ts";
import { useChange } from "../../../app/use-change.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/controls/button.tsx";
import { Card, Facts } from "../../../ui/display/card.tsx";
import { dateText } from "../../../ui/time.tsx";
import { say, sayName } from "../../../ui/words/say.tsx";
import { statusNames } from "../../safety-status.ts";
import styles from "./patient-screen.module.css";
import type { PatientApi } from "./use-patient.ts";

/** Name, contacts, addresses and documents, masked until a user reveals them. The audit log records who did. */
export function ProfileCard({ page, path }: { page: DashboardPatient; path: PatientApi }) {
  const [shown, setShown] = useState<RevealedPatient | null>(null);
  const reveal = useChange(() => api(`${path}/reveal`, { method: "POST" }), { after: setShown });
  const toggle = () => (shown === null ? void reveal.run() : setShown(null));
  useShortcuts([{ keys: "v", label: shown ? say("Hide patient") : say("Reveal patient"), run: toggle }]);
  return (
    <Card
      title={say("Profile")}
      actions={
        <Button small icon={shown ? "lock" : "eye"} keys="v" busy={reveal.busy} onClick={toggle}>
          {shown ? say("Hide") : say("Reveal")}
        </Button>
      }
    >
      <div className="stack-tight">
        {reveal.error !== null && <Problem error={reveal.error} />}
        {shown === null ? <Masked page={page} /> : <Revealed shown={shown} />}
      </div>
    </Card>
  );
}

function Masked({ page: { patient, safety_status, partner } }: { page: DashboardPatient }) {
  return (
    <>
      <Facts
        facts={[
          [say("Patient"), say("{initials}, born {birth_year}", patient)],
          [say("Partner"), partner],
          [say("State"), patient.state ?? say("No address")],
          [say("Allergies"), statusNames[safety_status.allergy]],
          [say("Medications"), statusNames[safety_status.medication]],
          [say("Conditions"), statusNames[safety_status.condition]],
        ]}
      />
      <p className="small quiet">{say("The audit log records each reveal.")}</p>
    </>
  );
}

function Revealed({ shown: { patient, removed_entries } }: { shown: RevealedPatient }) {
  const { entries } = patient.patient_safety;
  return (
    <>
      <Facts
        facts={[
          [say("Name"), `${patient.first_name} ${patient.last_name}`],
          [say("Date of birth"), dateText(patient.dob)],
          [say("Phone"), patient.phone ?? say("None")],
          [say("Email"), patient.email ?? say("None")],
          [say("Patient ID"), <code key="id">{patient.patient_id}</code>],
        ]}
      />
      <h3>{say("Addresses")}</h3>
      {patient.addresses.length === 0 && <p className="quiet">{say("None.")}</p>}
      {patient.addresses.map((address) => (
        <AddressText key={address.address_id} address={address} />
      ))}
      <h3>{say("Documents")}</h3>
      {patient.identity_documents.length === 0 && <p className="quiet">{say("None.")}</p>}
      {patient.identity_documents.map((document) => (
        <p key={document.id}>{documentText(document)}</p>
      ))}
      <h3>{say("Safety facts")}</h3>
      {entries.length + removed_entries.length === 0 && <p className="quiet">{say("None on file.")}</p>}
      <ul>
        {entries.map(({ entry_id, kind, text, source }) => (
          <li key={entry_id}>
            {text} <span className="small quiet">{entryTexts[source](sayName(kind))}</span>
          </li>
        ))}
        {removed_entries.map(({ entry_id, text, removed }) => (
          <li key={entry_id} className="quiet">
            <del>{text}</del> <span className="small">{removedTexts[removed.by](removed.reason)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const entryTexts: Record<SafetySource, (kind: string) => string> = {
  prescriber: (kind) => say("{kind}, from the prescriber", { kind }),
  partner: (kind) => say("{kind}, from the partner", { kind }),
  pharmacy: (kind) => say("{kind}, from the pharmacy", { kind }),
};
const removedTexts: Record<SafetySource, (reason: string) => string> = {
  prescriber: (reason) => say("removed by the prescriber: {reason}", { reason }),
  partner: (reason) => say("removed by the partner: {reason}", { reason }),
  pharmacy: (reason) => say("removed by the pharmacy: {reason}", { reason }),
};

const documentNames: Record<IdentityDocument["type"], string> = {
  DL: say("Driver license"),
  PP: say("Passport"),
  MI: say("Military ID"),
  PR: say("Permanent resident card"),
  SI: say("State ID"),
  TI: say("Tribal ID"),
  OT: say("Other document"),
};

const documentText = ({ type, number, issuing_state, issuing_country, expiration_date }: IdentityDocument) =>
  say("{document} {number}, {issuer}, expires {date}", {
    document: documentNames[type],
    number,
    issuer: [issuing_state, issuing_country].filter(Boolean).join(", "),
    date: dateText(expiration_date),
  });

function AddressText({ address }: { address: PatientAddress }) {
  const { street1, street2, city, state, zip } = address;
  return (
    <address className={styles["address"]}>
      {[street1, street2, `${city}, ${state} ${zip}`].filter(Boolean).join(", ")}{" "}
      {address.default && <Badge>{say("Default")}</Badge>}
    </address>
  );
}
