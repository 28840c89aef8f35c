import type { DashboardPerson, ShownPassword } from "@pestle/contract";
import { useState } from "react";
import { deviceName } from "../../app/account/device-name.ts";
import { api } from "../../app/api.ts";
import { Confirm } from "../../app/confirm.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField } from "../../ui/controls/field.tsx";
import { Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { LicenseFields, licenseOf, typedLicense } from "./license-fields.tsx";
import { RoleDialog } from "./role-dialog.tsx";
import { isPartnerRole, needsLicense, roleNames } from "./role-names.ts";

type Deed = "disable" | "role" | "password" | "second_factor" | "license" | "sessions";

/** User details and admin actions. Every action except a new license signs the user out. */
export function PersonDialog({
  person,
  onClose,
  onPassword,
}: {
  person: DashboardPerson;
  onClose: () => void;
  onPassword: (shown: ShownPassword) => void;
}) {
  const me = useSignedIn().person_id === person.person_id;
  const [deed, setDeed] = useState<Deed | null>(null);
  const path = `/dashboard/people/${person.person_id}` as const;
  const reads = ["/dashboard/people"] as const;
  const enable = useChange(() => api(`${path}/enable`, { method: "POST" }), {
    done: say("{name} can sign in again.", { name: person.name }),
    reads,
  });
  const back = { reads, after: () => setDeed(null) };
  const disable = useChange(() => api(`${path}/disable`, { method: "POST" }), {
    ...back,
    done: say("{name} is disabled.", { name: person.name }),
  });
  const factor = useChange(() => api(`${path}/second_factor`, { method: "POST" }), {
    ...back,
    done: say("Two-factor authentication removed."),
  });
  const { mail } = useSignedIn();
  const [by_email, setByEmail] = useState(false);
  const password = useChange(() => api(`${path}/password`, { method: "POST", body: { by_email } }), {
    reads,
    after: onPassword,
  });
  const sessions = useChange(() => api(`${path}/end_sessions`, { method: "POST" }), {
    ...back,
    done: say("{name} is signed out everywhere.", { name: person.name }),
  });
  const close = () => setDeed(null);
  const staff = !isPartnerRole(person.role);

  if (deed === "role") return <RoleDialog person={person} onClose={close} />;
  if (deed === "license") return <LicenseDialog person={person} onClose={close} />;
  if (deed === "sessions") {
    return (
      <Confirm
        title={say("Sign out {name}?", { name: person.name })}
        confirm={say("Sign out")}
        change={sessions}
        onClose={close}
      >
        <PersonSessions person_id={person.person_id} />
      </Confirm>
    );
  }
  if (deed === "disable") {
    return (
      <Confirm
        title={say("Disable {name}?", { name: person.name })}
        confirm={say("Disable")}
        change={disable}
        onClose={close}
      >
        <p>{say("They are signed out immediately and cannot sign in until an admin enables them.")}</p>
      </Confirm>
    );
  }
  if (deed === "second_factor") {
    return (
      <Confirm
        title={say("Remove two-factor authentication for {name}?", { name: person.name })}
        confirm={say("Remove")}
        change={factor}
        onClose={close}
      >
        <p>
          {say("Use this when someone has lost their phone. Verify their identity first. They will be signed out.")}
        </p>
      </Confirm>
    );
  }
  if (deed === "password") {
    return (
      <Confirm
        title={say("Reset the password for {name}?", { name: person.name })}
        confirm={say("Reset password")}
        change={password}
        onClose={close}
      >
        <p>
          {say("Their current password stops working and they are signed out.")}{" "}
          {by_email ? say("They choose a new one with a link.") : say("The new password is shown once.")}
        </p>
        {mail && (
          <CheckField
            label={say("Send a link by email")}
            hint={say("It works once, within three days.")}
            checked={by_email}
            onChange={(event) => setByEmail(event.target.checked)}
          />
        )}
      </Confirm>
    );
  }
  return (
    <Dialog
      title={person.name}
      onClose={onClose}
      actions={
        <>
          {person.disabled_at !== null ? (
            <Button busy={enable.busy} onClick={() => void enable.run()}>
              {say("Enable")}
            </Button>
          ) : (
            !me && (
              <Button tone="danger" onClick={() => setDeed("disable")}>
                {say("Disable")}
              </Button>
            )
          )}
          <Button onClick={() => setDeed("sessions")}>{say("Sessions")}</Button>
          {!me && <Button onClick={() => setDeed("role")}>{say("Role")}</Button>}
          {staff && <Button onClick={() => setDeed("license")}>{say("License")}</Button>}
          {person.second_factor && <Button onClick={() => setDeed("second_factor")}>{say("Remove two-factor")}</Button>}
          <Button icon="key" onClick={() => setDeed("password")}>
            {say("Reset password")}
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          [say("Email"), person.email],
          [say("Role"), roleNames[person.role]?.name ?? person.role],
          [say("Can"), roleNames[person.role]?.may],
          [say("Partner"), person.partner],
          [say("License"), licenseText(person)],
          [say("NPI"), person.npi],
          [say("Two-factor"), <Factor key="factor" on={person.second_factor} />],
          [say("Added"), <When key="created" at={person.created_at} />],
          [
            say("Last sign-in"),
            person.last_signed_in_at ? <When key="last" at={person.last_signed_in_at} /> : say("Never"),
          ],
          [say("Disabled"), person.disabled_at && <When at={person.disabled_at} />],
        ]}
      />
      {me && <p className="small quiet">{say("This is your account. Only another admin can disable it.")}</p>}
      {enable.error !== null && <Problem error={enable.error} />}
    </Dialog>
  );
}

/** Where a person is signed in. */
function PersonSessions({ person_id }: { person_id: string }) {
  const query = useApi(`/dashboard/people/${person_id}/sessions`);
  return (
    <Loaded query={query} lines={2}>
      {({ sessions }) =>
        sessions.length === 0 ? (
          <p>{say("They are not signed in anywhere.")}</p>
        ) : (
          <ul>
            {sessions.map(({ session_id, agent, address, last_seen_at }) => (
              <li key={session_id}>
                {sayWith("{device}, {address}, last seen {when}", {
                  device: deviceName(agent),
                  address: address ?? say("unknown address"),
                  when: <When at={last_seen_at} />,
                })}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

/** Changes the license of a staff member. */
function LicenseDialog({ person, onClose }: { person: DashboardPerson; onClose: () => void }) {
  const [license, setLicense] = useState(typedLicense(person));
  const save = useChange(
    () => api(`/dashboard/people/${person.person_id}/license`, { method: "POST", body: licenseOf(license) }),
    { done: say("License saved."), reads: ["/dashboard/people"], after: onClose },
  );
  return (
    <Dialog
      title={say("License of {name}", { name: person.name })}
      onClose={onClose}
      onSubmit={() => void save.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={save.busy}>
            {say("Save license")}
          </Button>
        </>
      }
    >
      <LicenseFields typed={license} onChange={setLicense} />
      {save.error !== null && <Problem error={save.error} />}
    </Dialog>
  );
}

function licenseText({ role, license_number, license_state, license_expires_on }: DashboardPerson): string | null {
  if (license_number === null) return needsLicense(role) ? say("None. This person cannot act as a pharmacist.") : null;
  return say("{license} ({state}), expires {date}", {
    license: license_number,
    state: license_state ?? "",
    date: license_expires_on ?? "",
  });
}

const Factor = ({ on }: { on: boolean }) => <Badge tone={on ? "good" : "wait"}>{on ? say("On") : say("Off")}</Badge>;
