import type { DashboardReviewPage, Patient } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { dateText } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { reviewers } from "../roles.ts";
import { statusNames } from "../safety-status.ts";
import styles from "./reviews-screen.module.css";

type Masked = DashboardReviewPage["patients"];

/** The patient next to possible matches. Differences are highlighted. */
export function PeopleCard({ path, patients }: { path: `/dashboard/reviews/${string}/${string}`; patients: Masked }) {
  const { role } = useSignedIn();
  const may = reviewers.includes(role);
  const [shown, setShown] = useState<Patient[] | null>(null);
  const reveal = useChange(() => api(`${path}/reveal`, { method: "POST" }), {
    after: (answer) => setShown(answer.patients),
  });
  const toggle = () => (shown === null ? void reveal.run() : setShown(null));
  useShortcuts(may ? [{ keys: "v", label: shown ? say("Hide patients") : say("Reveal patients"), run: toggle }] : []);
  const rows = shown === null ? maskedRows(patients) : revealedRows(shown);
  return (
    <Card
      title={patients.length === 1 ? say("Patient") : say("Possible matches")}
      flush
      actions={
        may && (
          <Button small icon={shown ? "lock" : "eye"} keys="v" busy={reveal.busy} onClick={toggle}>
            {shown ? say("Hide") : say("Reveal")}
          </Button>
        )
      }
    >
      {reveal.error !== null && <Problem error={reveal.error} />}
      <table className={styles["compare"]}>
        <caption className="unseen">{say("Patients, side by side")}</caption>
        <thead>
          <tr>
            <td />
            {patients.map(({ patient_id, score }, at) => (
              <th key={patient_id} scope="col">
                {at === 0 ? say("This message") : say("On file")}
                {score !== null && <span className="quiet"> {say("match score {score}", { score })}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, values, own }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {values.map((value, at) => (
                <td key={patients[at]!.patient_id} data-differs={(!own && at > 0 && value !== values[0]) || undefined}>
                  {value || "–"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {may && shown === null && (
        <p className={`small quiet ${styles["below"]}`}>{say("The audit log records each reveal.")}</p>
      )}
    </Card>
  );
}

/** `own`: always unique, so differences mean nothing. */
type Row = { name: string; values: string[]; own?: boolean };

const maskedRows = (patients: Masked): Row[] => [
  { name: say("Initials"), values: patients.map(({ initials }) => initials) },
  { name: say("Year of birth"), values: patients.map(({ birth_year }) => birth_year) },
  { name: say("State"), values: patients.map(({ state }) => state ?? "") },
  { name: say("Patient ID"), values: patients.map(({ patient_id }) => patient_id), own: true },
];

function revealedRows(patients: readonly Patient[]): Row[] {
  const home = ({ addresses }: Patient) => addresses.find((one) => one.default) ?? addresses[0];
  const values: [string, (patient: Patient) => string | null | undefined][] = [
    [say("Name"), ({ first_name, last_name }) => `${first_name} ${last_name}`],
    [say("Date of birth"), ({ dob }) => dateText(dob)],
    [say("Gender"), ({ gender }) => gender],
    [say("Phone"), ({ phone }) => phone],
    [say("Email"), ({ email }) => email],
    [say("Street"), (one) => [home(one)?.street1, home(one)?.street2].filter(Boolean).join(", ")],
    [say("City"), (one) => home(one) && `${home(one)!.city}, ${home(one)!.state} ${home(one)!.zip}`],
    [
      say("Allergies"),
      ({ patient_safety }) => patient_safety.allergies.join(", ") || statusNames[patient_safety.allergies_status],
    ],
  ];
  const ids: Row = { name: say("Patient ID"), values: patients.map(({ patient_id }) => patient_id), own: true };
  return [...values.map(([name, of]) => ({ name, values: patients.map((patient) => of(patient) ?? "") })), ids];
}
