import type { DashboardPatient, IdentityDocument, PatientAddress, RevealedPatient } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../../app/api.ts";
import { Problem } from "../../../app/problem.tsx";
import { useShortcuts } from "../../../app/shell/shortcuts.ts";
import { useChange } from "../../../app/use-change.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Button } from "../../../ui/controls/button.tsx";
import { Card, Facts } from "../../../ui/display/card.tsx";
import { dateText } from "../../../ui/time.tsx";
import { statusNames } from "../../safety-status.ts";
import styles from "./patient-screen.module.css";
import type { PatientApi } from "./use-patient.ts";

/** Name, contacts, addresses and documents, masked until a user reveals them. The audit log records who did. */
export function ProfileCard({ page, path }: { page: DashboardPatient; path: PatientApi }) {
  const [shown, setShown] = useState<RevealedPatient | null>(null);
  const reveal = useChange(() => api(`${path}/reveal`, { method: "POST" }), { after: setShown });
  const toggle = () => (shown === null ? void reveal.run() : setShown(null));
  useShortcuts([{ keys: "v", label: shown ? "Hide patient" : "Reveal patient", run: toggle }]);
  return (
    <Card
      title="Profile"
      actions={
        <Button small icon={shown ? "lock" : "eye"} keys="v" busy={reveal.busy} onClick={toggle}>
          {shown ? "Hide" : "Reveal"}
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
          ["Patient", `${patient.initials}, born ${patient.birth_year}`],
          ["Partner", partner],
          ["State", patient.state ?? "No address"],
          ["Allergies", statusNames[safety_status.allergy]],
          ["Medications", statusNames[safety_status.medication]],
          ["Conditions", statusNames[safety_status.condition]],
        ]}
      />
      <p className="small quiet">The audit log records each reveal.</p>
    </>
  );
}

function Revealed({ shown: { patient, removed_entries } }: { shown: RevealedPatient }) {
  const { entries } = patient.patient_safety;
  return (
    <>
      <Facts
        facts={[
          ["Name", `${patient.first_name} ${patient.last_name}`],
          ["Date of birth", dateText(patient.dob)],
          ["Phone", patient.phone ?? "None"],
          ["Email", patient.email ?? "None"],
          ["Patient ID", <code key="id">{patient.patient_id}</code>],
        ]}
      />
      <h3>Addresses</h3>
      {patient.addresses.length === 0 && <p className="quiet">None.</p>}
      {patient.addresses.map((address) => (
        <AddressText key={address.address_id} address={address} />
      ))}
      <h3>Documents</h3>
      {patient.identity_documents.length === 0 && <p className="quiet">None.</p>}
      {patient.identity_documents.map((document) => (
        <p key={document.id}>{documentText(document)}</p>
      ))}
      <h3>Safety facts</h3>
      {entries.length + removed_entries.length === 0 && <p className="quiet">None on file.</p>}
      <ul>
        {entries.map(({ entry_id, kind, text, source }) => (
          <li key={entry_id}>
            {text} <span className="small quiet">{`${kind}, from the ${source}`}</span>
          </li>
        ))}
        {removed_entries.map(({ entry_id, text, removed }) => (
          <li key={entry_id} className="quiet">
            <del>{text}</del> <span className="small">{`removed by the ${removed.by}: ${removed.reason}`}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

const documentNames: Record<IdentityDocument["type"], string> = {
  DL: "Driver license",
  PP: "Passport",
  MI: "Military ID",
  PR: "Permanent resident card",
  SI: "State ID",
  TI: "Tribal ID",
  OT: "Other document",
};

const documentText = ({ type, number, issuing_state, issuing_country, expiration_date }: IdentityDocument) =>
  `${documentNames[type]} ${number}, ${[issuing_state, issuing_country].filter(Boolean).join(", ")}, expires ${dateText(expiration_date)}`;

function AddressText({ address }: { address: PatientAddress }) {
  const { street1, street2, city, state, zip } = address;
  return (
    <address className={styles["address"]}>
      {[street1, street2, `${city}, ${state} ${zip}`].filter(Boolean).join(", ")}{" "}
      {address.default && <Badge>Default</Badge>}
    </address>
  );
}
