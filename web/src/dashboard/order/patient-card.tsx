import type { Address, DashboardOrder, RevealedOrder } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { Link } from "../../app/router/router.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { isOtherAddress, SuggestedSpelling } from "../../ui/suggested-spelling.tsx";
import { dateText } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { patientPath } from "../patient-link.ts";
import { statusNames } from "../safety-status.ts";
import { AddressDialog } from "./address-dialog.tsx";
import styles from "./order-screen.module.css";
import { SafetyFacts } from "./safety-facts.tsx";
import { type DoWork, orderApi } from "./use-order.ts";

/** Patient and address, masked until a user reveals them. The audit log records who did. */
export function PatientCard({ page, work }: { page: DashboardOrder; work: DoWork }) {
  const [shown, setShown] = useState<RevealedOrder | null>(null);
  const [editing, setEditing] = useState<Address | null>(null);
  const path = orderApi({ account_id: page.account_id, order_number: page.order.order_number });
  const reveal = useChange(() => api(`${path}/reveal`, { method: "POST" }), { after: setShown });
  const toggle = () => (shown === null ? void reveal.run() : setShown(null));
  useShortcuts([{ keys: "v", label: shown ? say("Hide patient") : say("Reveal patient"), run: toggle }]);
  const { patient, address } = page;
  const may_edit = page.can.includes("update_address");
  const save = async (next: Address) => {
    if ((await work.run({ event: "update_address", address: next }, say("Address changed."))) === undefined) return;
    setEditing(null);
    void reveal.run();
  };
  return (
    <Card
      title={say("Patient and address")}
      actions={
        <Button small icon={shown ? "lock" : "eye"} keys="v" busy={reveal.busy} onClick={toggle}>
          {shown ? say("Hide") : say("Reveal")}
        </Button>
      }
    >
      <div className="stack-tight">
        {reveal.error !== null && <Problem error={reveal.error} />}
        {shown === null ? (
          <>
            <Facts
              facts={[
                [say("Patient"), say("{initials}, born {birth_year}", patient)],
                [say("Patient ID"), <code key="id">{patient.patient_id}</code>],
                [say("Ships to"), address ? `${address.state} ${address.zip}` : say("No address")],
                [say("Allergies"), statusNames[page.safety_status.allergy]],
                [say("Medications"), statusNames[page.safety_status.medication]],
                [say("Conditions"), statusNames[page.safety_status.condition]],
              ]}
            />
            <p className="small quiet">{say("The audit log records each reveal.")}</p>
          </>
        ) : (
          <>
            <Revealed shown={shown} />
            <SafetyFacts path={path} shown={shown} onChange={setShown} />
          </>
        )}
        <Link to={patientPath(page)}>{say("Patient page: prescriptions, orders and fills")}</Link>
        {address?.has_suggestion && shown === null && (
          <Notice tone="wait">{say("The address check suggests a correction. Reveal to compare.")}</Notice>
        )}
        {shown?.suggestion && shown.address && isOtherAddress(shown.address, shown.suggestion) && (
          <Suggestion
            given={shown.address}
            suggestion={shown.suggestion}
            onUse={may_edit ? (next) => void save(next) : undefined}
            busy={work.busy}
          />
        )}
        {may_edit && shown !== null && (
          <div className="row">
            <Button small onClick={() => setEditing(shown.address ?? emptyAddress(shown))}>
              {say("Change address")}
            </Button>
          </div>
        )}
      </div>
      {editing && (
        <AddressDialog
          address={editing}
          work={work}
          onClose={() => setEditing(null)}
          onSubmit={(next) => void save(next)}
        />
      )}
    </Card>
  );
}

function Revealed({ shown: { patient, weight_kg, address } }: { shown: RevealedOrder }) {
  return (
    <Facts
      facts={[
        [say("Name"), `${patient.first_name} ${patient.last_name}`],
        [say("Date of birth"), dateText(patient.dob)],
        [say("Gender"), patient.gender],
        [say("Weight"), weight_kg !== null && `${weight_kg} kg`],
        [say("Phone"), patient.phone],
        [say("Email"), patient.email],
        [say("Patient ID"), <code key="id">{patient.patient_id}</code>],
        [say("Ships to"), address ? <AddressText key="to" address={address} /> : say("No address")],
      ]}
    />
  );
}

function AddressText({
  address: { first_name, last_name, street1, street2, city, state, zip, phone },
}: {
  address: Address;
}) {
  return (
    <address className={styles["address"]}>
      {first_name} {last_name}
      <br />
      {street1}
      {street2 && `, ${street2}`}
      <br />
      {city}, {state} {zip}
      {phone && (
        <>
          <br />
          {phone}
        </>
      )}
    </address>
  );
}

/** The address check's suggestion, with its changes highlighted. */
function Suggestion({
  given,
  suggestion,
  onUse,
  busy,
}: {
  given: Address;
  suggestion: NonNullable<RevealedOrder["suggestion"]>;
  onUse: ((next: Address) => void) | undefined;
  busy: boolean;
}) {
  return (
    <Notice
      tone="wait"
      title={say("Suggested address")}
      actions={
        onUse && (
          <Button small busy={busy} onClick={() => onUse({ ...given, ...suggestion })}>
            {say("Use suggestion")}
          </Button>
        )
      }
    >
      <p className={styles["address"]}>
        <SuggestedSpelling given={given} suggestion={suggestion} />
      </p>
    </Notice>
  );
}

const emptyAddress = ({ patient }: RevealedOrder): Address => ({
  first_name: patient.first_name,
  last_name: patient.last_name,
  street1: "",
  street2: null,
  city: "",
  state: "",
  zip: "",
  phone: patient.phone,
});
