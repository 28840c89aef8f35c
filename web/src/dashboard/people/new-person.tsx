import type { NewPersonRequest, PersonRoleName, ShownPassword } from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField, SelectField, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say } from "../../ui/words/say.tsx";
import { useAccounts } from "../accounts.tsx";
import { LicenseFields, licenseOf, typedLicense } from "./license-fields.tsx";
import { isPartnerRole, needsLicense, roleNames } from "./role-names.ts";

/** Adds a user. The server generates the password and shows it once. */
export function NewPerson({ onClose, onCreated }: { onClose: () => void; onCreated: (shown: ShownPassword) => void }) {
  const partners = new Map(useAccounts().map(({ partner_id, partner }) => [partner_id ?? "", partner ?? ""]));
  const [given, setGiven] = useState({ name: "", email: "", role: "technician" as PersonRoleName, partner_id: "" });
  const [by_email, setByEmail] = useState(false);
  const { mail } = useSignedIn();
  const [license, setLicense] = useState(typedLicense());
  const partner = isPartnerRole(given.role);
  const licensed = needsLicense(given.role);
  const create = useChange(
    () => {
      const body: NewPersonRequest = {
        ...given,
        by_email,
        partner_id: partner ? given.partner_id : null,
        ...(licensed && licenseOf(license)),
      };
      return api("/dashboard/people", { method: "POST", body });
    },
    { reads: ["/dashboard/people"], after: onCreated },
  );
  const set = (name: keyof typeof given) => (event: { target: { value: string } }) =>
    setGiven({ ...given, [name]: event.target.value });
  return (
    <Dialog
      title={say("New person")}
      onClose={onClose}
      onSubmit={() => void create.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={create.busy}>
            {say("Add person")}
          </Button>
        </>
      }
    >
      <TextField label={say("Name")} required autoFocus maxLength={100} value={given.name} onChange={set("name")} />
      <TextField
        label={say("Email")}
        type="email"
        required
        maxLength={320}
        value={given.email}
        onChange={set("email")}
        problem={problemOf(create.error, "email")}
      />
      <SelectField
        label={say("Role")}
        hint={roleNames[given.role].may}
        options={Object.entries(roleNames).map(([role, { name }]) => [role, name] as const)}
        value={given.role}
        onChange={set("role")}
      />
      {partner && (
        <SelectField
          label={say("Partner")}
          required
          options={[["", say("Choose")], ...partners]}
          value={given.partner_id}
          onChange={set("partner_id")}
        />
      )}
      {licensed && <LicenseFields typed={license} onChange={setLicense} />}
      {mail && (
        <CheckField
          label={say("Send an invitation by email")}
          hint={say("They choose their own password with a link that works once, within three days.")}
          checked={by_email}
          onChange={(event) => setByEmail(event.target.checked)}
        />
      )}
      {create.error !== null && problemOf(create.error, "email") === null && <Problem error={create.error} />}
    </Dialog>
  );
}
