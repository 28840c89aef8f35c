import {
  type PortalInvited,
  type PortalPerson,
  type PortalPersonUpdate,
  type PortalRole,
  portalRoles,
} from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Confirm } from "../../app/confirm.tsx";
import { useChange } from "../../app/use-change.ts";
import { Menu, type MenuItem } from "../../ui/controls/menu.tsx";
import { Icon } from "../../ui/icon.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { giveRoleTexts } from "./role-names.ts";

type Asked = "password" | "second_factor" | "disable" | PortalRole;

/** Admin actions for a team member. Each asks for confirmation. */
export function PersonMenu({
  person,
  onInvited,
}: {
  person: PortalPerson;
  onInvited: (invited: PortalInvited) => void;
}) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const roles = (Object.keys(portalRoles) as PortalRole[]).filter((role) => role !== person.role);
  const items: MenuItem[] = [
    ...roles.map((role) => ({
      label: giveRoleTexts[role],
      icon: "person" as const,
      onChoose: () => setAsked(role),
    })),
    { label: say("Reset password"), icon: "key", onChoose: () => setAsked("password") },
    ...(person.second_factor
      ? [{ label: say("Reset two-factor"), icon: "lock" as const, onChoose: () => setAsked("second_factor") }]
      : []),
    {
      label: person.disabled_at === null ? say("Disable") : say("Enable"),
      icon: "close",
      danger: person.disabled_at === null,
      onChoose: () => setAsked("disable"),
    },
  ];
  return (
    <>
      <Menu trigger={<Icon name="more" />} label={say("Actions for {name}", { name: person.name })} items={items} />
      {asked && <Ask person={person} asked={asked} onInvited={onInvited} onClose={() => setAsked(null)} />}
    </>
  );
}

function Ask({
  person,
  asked,
  onInvited,
  onClose,
}: {
  person: PortalPerson;
  asked: Asked;
  onInvited: (invited: PortalInvited) => void;
  onClose: () => void;
}) {
  const { api_base } = usePortal();
  const path = `${api_base}/team/${person.person_id}` as const;
  const disabled = person.disabled_at !== null;
  const texts: Record<Asked, { confirm: string; about: string }> = {
    password: {
      confirm: say("Reset password"),
      about: say(
        "Their current password stops working and they are signed out. The new password is shown to you once.",
      ),
    },
    second_factor: {
      confirm: say("Reset two-factor"),
      about: say("They set up a new authenticator at the next sign-in. Verify their identity first."),
    },
    disable: disabled
      ? { confirm: say("Enable"), about: say("They can sign in again with their existing password.") }
      : { confirm: say("Disable"), about: say("They are signed out immediately and can no longer sign in.") },
    partner_viewer: { confirm: giveRoleTexts.partner_viewer, about: sayName(portalRoles.partner_viewer) },
    partner_developer: { confirm: giveRoleTexts.partner_developer, about: sayName(portalRoles.partner_developer) },
    partner_admin: { confirm: giveRoleTexts.partner_admin, about: sayName(portalRoles.partner_admin) },
  };
  const change = useChange(
    async () => {
      if (asked === "password") return api(`${path}/password`, { method: "POST" });
      const update: PortalPersonUpdate =
        asked === "second_factor"
          ? { reset_second_factor: true }
          : asked === "disable"
            ? { disabled: !disabled }
            : { role: asked };
      await api(path, { method: "PATCH", body: update });
      return null;
    },
    {
      reads: [`${api_base}/team`],
      done: say("Done."),
      after: (made) => {
        onClose();
        if (made) onInvited(made);
      },
    },
  );
  return (
    <Confirm
      title={`${texts[asked].confirm}: ${person.name}`}
      confirm={texts[asked].confirm}
      change={change}
      onClose={onClose}
    >
      <p>{texts[asked].about}</p>
    </Confirm>
  );
}
