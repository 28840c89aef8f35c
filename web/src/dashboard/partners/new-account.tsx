import {
  type DashboardPartner,
  type Environment,
  environments,
  type NewPartnerRequest,
  type Workflow,
  workflows,
} from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField, SelectField, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { workflowNames } from "./workflow-names.ts";

/** An account for a partner in one environment; a name that is new makes the partner too. */
export function NewAccount({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (partner: DashboardPartner) => void;
}) {
  const [given, setGiven] = useState({
    name: "",
    environment: "sandbox" as Environment,
    workflow: "api_driven" as Workflow,
    ncpdp_id: "",
    custom_labels: false,
  });
  const create = useChange(
    () => {
      const body: NewPartnerRequest = { ...given, name: given.name.trim(), ncpdp_id: given.ncpdp_id.trim() || null };
      return api("/dashboard/partners", { method: "POST", body });
    },
    { done: "The account is open.", reads: ["/dashboard/partners", "/dashboard/accounts"], after: onCreated },
  );
  return (
    <Dialog
      title="New account"
      onClose={onClose}
      onSubmit={() => void create.run()}
      actions={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button tone="primary" type="submit" busy={create.busy}>
            Open the account
          </Button>
        </>
      }
    >
      <TextField
        label="Partner"
        hint="The name of a partner that is here already gives it an account in the other environment."
        required
        autoFocus
        maxLength={100}
        value={given.name}
        problem={problemOf(create.error, "name")}
        onChange={(event) => setGiven({ ...given, name: event.target.value })}
      />
      <SelectField
        label="Environment"
        options={environments.map((one) => [one, one === "sandbox" ? "Sandbox" : "Production"] as const)}
        value={given.environment}
        onChange={(event) => setGiven({ ...given, environment: event.target.value as Environment })}
      />
      <SelectField
        label="Who makes orders"
        hint={workflowNames[given.workflow].says}
        options={workflows.map((one) => [one, workflowNames[one].name] as const)}
        value={given.workflow}
        onChange={(event) => setGiven({ ...given, workflow: event.target.value as Workflow })}
      />
      <TextField
        label="NCPDP id"
        hint="Seven digits, where prescribers send to. Without one no e-prescription reaches the account."
        inputMode="numeric"
        pattern="[0-9]{7}"
        value={given.ncpdp_id}
        onChange={(event) => setGiven({ ...given, ncpdp_id: event.target.value })}
      />
      <CheckField
        label="Own labels"
        hint="The partner may have its own label put on packages."
        checked={given.custom_labels}
        onChange={(event) => setGiven({ ...given, custom_labels: event.target.checked })}
      />
      {create.error !== null && problemOf(create.error, "name") === null && <Problem error={create.error} />}
    </Dialog>
  );
}
