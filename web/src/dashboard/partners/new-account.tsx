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
import { say } from "../../ui/words/say.tsx";
import { workflowNames } from "./workflow-names.ts";

/** Creates a partner's account in one environment. A new name also creates the partner. */
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
    { done: say("Account created."), reads: ["/dashboard/partners", "/dashboard/accounts"], after: onCreated },
  );
  return (
    <Dialog
      title={say("New account")}
      onClose={onClose}
      onSubmit={() => void create.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={create.busy}>
            {say("Create account")}
          </Button>
        </>
      }
    >
      <TextField
        label={say("Partner")}
        hint={say("Use an existing partner's name to add an account in the other environment.")}
        required
        autoFocus
        maxLength={100}
        value={given.name}
        problem={problemOf(create.error, "name")}
        onChange={(event) => setGiven({ ...given, name: event.target.value })}
      />
      <SelectField
        label={say("Environment")}
        options={environments.map((one) => [one, one === "sandbox" ? say("Sandbox") : say("Production")] as const)}
        value={given.environment}
        onChange={(event) => setGiven({ ...given, environment: event.target.value as Environment })}
      />
      <SelectField
        label={say("Orders placed by")}
        hint={workflowNames[given.workflow].says}
        options={workflows.map((one) => [one, workflowNames[one].name] as const)}
        value={given.workflow}
        onChange={(event) => setGiven({ ...given, workflow: event.target.value as Workflow })}
      />
      <TextField
        label={say("NCPDP ID")}
        hint={say("The 7-digit ID prescribers send to. Without one, the account receives no e-prescriptions.")}
        inputMode="numeric"
        pattern="[0-9]{7}"
        value={given.ncpdp_id}
        onChange={(event) => setGiven({ ...given, ncpdp_id: event.target.value })}
      />
      <CheckField
        label={say("Custom labels")}
        hint={say("The partner may use its own package labels.")}
        checked={given.custom_labels}
        onChange={(event) => setGiven({ ...given, custom_labels: event.target.checked })}
      />
      {create.error !== null && problemOf(create.error, "name") === null && <Problem error={create.error} />}
    </Dialog>
  );
}
