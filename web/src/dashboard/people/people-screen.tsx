import type { DashboardPerson, ShownPassword } from "@pestle/contract";
import { useState } from "react";
import { Invited } from "../../app/account/invited.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useFilters } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { usePharmacyDay } from "../../app/use-pharmacy-day.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { ShownOnce } from "../../ui/controls/shown-once.tsx";
import { Tabs } from "../../ui/controls/tabs.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Age } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { NewPerson } from "./new-person.tsx";
import styles from "./people-screen.module.css";
import { PersonDialog } from "./person-dialog.tsx";
import { isPartnerRole, needsLicense, roleNames } from "./role-names.ts";

type Layer = { kind: "new" } | { kind: "person"; person_id: string } | { kind: "password"; shown: ShownPassword };

/** All users: pharmacy staff and partners' users. */
export function PeopleScreen() {
  const people = useApi("/dashboard/people");
  const [{ of = "pharmacy" }, change] = useFilters();
  const [layer, setLayer] = useState<Layer | null>(null);
  const close = () => setLayer(null);
  useShortcuts([{ keys: "n", label: say("New person"), run: () => setLayer({ kind: "new" }) }]);
  const password = (shown: ShownPassword) => setLayer({ kind: "password", shown });
  const open =
    layer?.kind === "person" ? people.data?.people.find((one) => one.person_id === layer.person_id) : undefined;
  return (
    <Page
      title={say("People")}
      about={say("Everyone who can sign in to the dashboard or the partner portal.")}
      actions={
        <Button tone="primary" icon="plus" keys="n" onClick={() => setLayer({ kind: "new" })}>
          {say("New person")}
        </Button>
      }
    >
      <Loaded query={people} lines={8}>
        {({ people: all }) => {
          const table = (partner: boolean) => (
            <Card flush>
              <PeopleTable
                rows={all.filter(({ role }) => isPartnerRole(role) === partner)}
                partner={partner}
                onOpen={({ person_id }) => setLayer({ kind: "person", person_id })}
              />
            </Card>
          );
          return (
            <Tabs
              label={say("Group")}
              value={of}
              onChange={(key) => change({ of: key })}
              tabs={[
                { key: "pharmacy", label: say("Pharmacy"), content: () => table(false) },
                { key: "partners", label: say("Partners"), content: () => table(true) },
              ]}
            />
          );
        }}
      </Loaded>
      {layer?.kind === "new" && <NewPerson onClose={close} onCreated={password} />}
      {open && <PersonDialog person={open} onClose={close} onPassword={password} />}
      {layer?.kind === "password" && <Password shown={layer.shown} onClose={close} />}
    </Page>
  );
}

function PeopleTable({
  rows,
  partner,
  onOpen,
}: {
  rows: readonly DashboardPerson[];
  partner: boolean;
  onOpen: (person: DashboardPerson) => void;
}) {
  const me = useSignedIn().person_id;
  const columns: Column<DashboardPerson>[] = [
    {
      title: say("Name"),
      cell: (person) => (
        <span className="row">
          <button type="button" className={styles["name"]} onClick={() => onOpen(person)}>
            {person.name}
          </button>
          {person.person_id === me && <Badge tone="info">{say("You")}</Badge>}
          {person.disabled_at !== null && <Badge tone="bad">{say("Disabled")}</Badge>}
        </span>
      ),
    },
    { title: say("Email"), cell: ({ email }) => email },
    { title: say("Role"), cell: ({ role }) => <span className="nowrap">{roleNames[role]?.name ?? role}</span> },
    ...(partner
      ? [{ title: say("Partner"), cell: ({ partner: name }: DashboardPerson) => name }]
      : [{ title: say("License"), cell: (person: DashboardPerson) => <License person={person} /> }]),
    {
      title: say("Two-factor"),
      cell: ({ second_factor }) =>
        second_factor ? <Badge tone="good">{say("On")}</Badge> : <Badge tone="wait">{say("Off")}</Badge>,
    },
    {
      title: say("Last sign-in"),
      number: true,
      cell: ({ last_signed_in_at }) =>
        last_signed_in_at === null ? <span className="quiet">{say("never")}</span> : <Age since={last_signed_in_at} />,
    },
  ];
  return (
    <Table
      caption={partner ? say("Partner users") : say("Pharmacy staff")}
      columns={columns}
      rows={rows}
      rowKey={({ person_id }) => person_id}
      dim={({ disabled_at }) => disabled_at !== null}
      empty={<Empty title={say("No people yet")}>{say("People you add appear here.")}</Empty>}
    />
  );
}

/** Number, state and expiration, or why the person cannot act as a pharmacist. */
function License({ person }: { person: DashboardPerson }) {
  const { role, license_number, license_state, license_expires_on } = person;
  const today = usePharmacyDay();
  if (license_number === null) return needsLicense(role) ? <Badge tone="wait">{say("No license")}</Badge> : null;
  const expired = license_expires_on !== null && license_expires_on < today;
  const shown = { license: license_number, state: license_state ?? "", date: license_expires_on ?? "" };
  return (
    <span className="row">
      {expired ? say("{license} ({state}), expired {date}", shown) : say("{license} ({state}), expires {date}", shown)}
      {expired && <Badge tone="bad">{say("Expired")}</Badge>}
    </span>
  );
}

function Password({ shown, onClose }: { shown: ShownPassword; onClose: () => void }) {
  const { person, password } = shown;
  if (password === null) return <Invited person={person} mailed={shown.mailed} onClose={onClose} />;
  return (
    <ShownOnce
      title={say("{name} can sign in", { name: person.name })}
      onClose={onClose}
      keep={say("Send it to {name} over a secure channel, not by email. They choose their own at the first sign-in.", {
        name: person.name,
      })}
      secrets={[
        { label: say("URL"), text: `${location.origin}/${isPartnerRole(person.role) ? "portal" : "dashboard"}` },
        { label: say("Email"), text: person.email },
        { label: say("Password"), text: password },
      ]}
    />
  );
}
