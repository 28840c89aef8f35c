import type { DashboardPerson, PersonRoleName } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useChange } from "../../app/use-change.ts";
import { SelectField } from "../../ui/controls/field.tsx";
import { say } from "../../ui/words/say.tsx";
import { isPartnerRole, needsLicense, roleNames } from "./role-names.ts";

/** Changes the role of a person. Staff stay staff, and a partner's user stays the partner's. */
export function RoleDialog({ person, onClose }: { person: DashboardPerson; onClose: () => void }) {
  const [role, setRole] = useState(person.role);
  const roles = (Object.keys(roleNames) as PersonRoleName[]).filter(
    (one) => isPartnerRole(one) === isPartnerRole(person.role),
  );
  const save = useChange(() => api(`/dashboard/people/${person.person_id}/role`, { method: "POST", body: { role } }), {
    done: say("Role changed."),
    reads: ["/dashboard/people"],
    after: onClose,
  });
  return (
    <Confirm
      title={say("Role of {name}", { name: person.name })}
      confirm={say("Change role")}
      tone="primary"
      change={save}
      onClose={onClose}
    >
      <SelectField
        label={say("Role")}
        hint={roleNames[role].may}
        options={roles.map((one) => [one, roleNames[one].name] as const)}
        value={role}
        onChange={({ target: { value } }) => setRole(value as PersonRoleName)}
      />
      {needsLicense(role) && person.license_number === null && (
        <p>{say("Enter their license too, or they work as a technician.")}</p>
      )}
      <p>{say("They are signed out, and sign in again with the new role.")}</p>
    </Confirm>
  );
}
