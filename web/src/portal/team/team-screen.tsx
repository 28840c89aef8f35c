import { type PortalInvited, type PortalPerson, portalRoles } from "@pestle/contract";
import { useState } from "react";
import { Invited } from "../../app/account/invited.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { ShownOnce } from "../../ui/controls/shown-once.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { InvitePerson } from "./invite-person.tsx";
import { PersonMenu } from "./person-menu.tsx";
import { roleNames } from "./role-names.ts";

/** The partner's team. It has access to both environments. */
export function TeamScreen() {
  const { api_base, may_manage_team } = usePortal();
  const team = useApi(`${api_base}/team`);
  const [inviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<PortalInvited | null>(null);
  useShortcuts(may_manage_team ? [{ keys: "n", label: say("Invite person"), run: () => setInviting(true) }] : []);
  const columns: readonly Column<PortalPerson>[] = [
    {
      title: say("Name"),
      cell: ({ name, email, you }) => (
        <>
          {name} {you && <Badge>{say("You")}</Badge>}
          <br />
          <span className="quiet">{email}</span>
        </>
      ),
    },
    { title: say("Role"), cell: ({ role }) => <span className="nowrap">{roleNames[role]}</span> },
    {
      title: say("Two-factor"),
      cell: ({ second_factor }) =>
        second_factor ? <Badge tone="good">{say("On")}</Badge> : <Badge tone="wait">{say("Off")}</Badge>,
    },
    {
      title: say("Last sign-in"),
      cell: ({ last_signed_in_at }) =>
        last_signed_in_at === null ? <span className="quiet">{say("never")}</span> : <When at={last_signed_in_at} />,
    },
    {
      title: say("Status"),
      cell: ({ disabled_at }) =>
        disabled_at === null ? <Badge tone="good">{say("Active")}</Badge> : <Badge>{say("Disabled")}</Badge>,
    },
    ...(may_manage_team
      ? [
          {
            title: say("Actions"),
            unseen: true,
            cell: (person: PortalPerson) => <PersonMenu person={person} onInvited={setInvited} />,
          },
        ]
      : []),
  ];
  return (
    <Page
      title={say("Team")}
      about={say("Everyone here can access both environments.")}
      actions={
        may_manage_team && (
          <Button tone="primary" icon="plus" keys="n" onClick={() => setInviting(true)}>
            {say("Invite")}
          </Button>
        )
      }
    >
      <Loaded query={team}>
        {({ people }) => (
          <Card flush>
            <Table
              caption={say("Team")}
              columns={columns}
              rows={people}
              rowKey={({ person_id }) => person_id}
              dim={({ disabled_at }) => disabled_at !== null}
            />
          </Card>
        )}
      </Loaded>
      <Card title={say("Roles")}>
        <Facts
          facts={Object.entries(portalRoles).map(([role, about]) => [
            roleNames[role as keyof typeof roleNames],
            sayName(about),
          ])}
        />
      </Card>
      {inviting && (
        <InvitePerson
          onClose={() => setInviting(false)}
          onInvited={(made) => {
            setInviting(false);
            setInvited(made);
          }}
        />
      )}
      {invited?.password === null && (
        <Invited person={invited.person} mailed={invited.mailed} onClose={() => setInvited(null)} />
      )}
      {invited && invited.password !== null && (
        <ShownOnce
          title={say("Password for {name}", { name: invited.person.name })}
          onClose={() => setInvited(null)}
          keep={say("Send it to them over a secure channel.")}
          secrets={[
            { label: say("Email"), text: invited.person.email },
            { label: say("Password"), text: invited.password },
          ]}
        >
          <p>
            {say(
              "They choose their own password at the first sign-in. Ask them to set up two-factor authentication after they sign in.",
            )}
          </p>
        </ShownOnce>
      )}
    </Page>
  );
}
