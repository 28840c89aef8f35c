import { type PortalInvitation, type PortalInvited, type PortalRole, portalRoles } from "@pestle/contract";
import { useState } from "react";
import { api, problemOf } from "../../app/api.ts";
import { Problem } from "../../app/problem.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField, SelectField, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { roleNames } from "./role-names.ts";

export function InvitePerson({
  onClose,
  onInvited,
}: {
  onClose: () => void;
  onInvited: (invited: PortalInvited) => void;
}) {
  const { api_base } = usePortal();
  const { mail } = useSignedIn();
  const [given, setGiven] = useState<PortalInvitation>({ name: "", email: "", role: "partner_developer" });
  const invite = useChange(() => api(`${api_base}/team`, { method: "POST", body: given }), {
    reads: [`${api_base}/team`],
    after: onInvited,
  });
  const has_field_problem = ["name", "email", "role"].some((field) => problemOf(invite.error, field) !== null);
  return (
    <Dialog
      title={say("Invite person")}
      onClose={onClose}
      onSubmit={() => void invite.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={invite.busy}>
            {say("Invite")}
          </Button>
        </>
      }
    >
      <TextField
        label={say("Name")}
        required
        autoFocus
        maxLength={100}
        value={given.name}
        problem={problemOf(invite.error, "name")}
        onChange={(event) => setGiven({ ...given, name: event.target.value })}
      />
      <TextField
        label={say("Email")}
        type="email"
        required
        value={given.email}
        problem={problemOf(invite.error, "email")}
        onChange={(event) => setGiven({ ...given, email: event.target.value })}
      />
      <SelectField
        label={say("Role")}
        options={(Object.keys(portalRoles) as PortalRole[]).map((role) => [role, roleNames[role]])}
        value={given.role}
        hint={sayName(portalRoles[given.role])}
        problem={problemOf(invite.error, "role")}
        onChange={(event) => setGiven({ ...given, role: event.target.value as PortalRole })}
      />
      {mail && (
        <CheckField
          label={say("Send an invitation by email")}
          hint={say("They choose their own password with a link that works once, within three days.")}
          checked={given.by_email ?? false}
          onChange={(event) => setGiven({ ...given, by_email: event.target.checked })}
        />
      )}
      {!given.by_email && <p className="quiet small">{say("Pestle creates a password and shows it to you once.")}</p>}
      {invite.error !== null && !has_field_problem && <Problem error={invite.error} />}
    </Dialog>
  );
}
