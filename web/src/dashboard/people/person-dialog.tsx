import type { DashboardPerson, ShownPassword } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Confirm } from "../../app/confirm.tsx";
import { Problem } from "../../app/problem.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useChange } from "../../app/use-change.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Facts } from "../../ui/display/card.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { When } from "../../ui/time.tsx";
import { roleNames } from "./role-names.ts";

type Deed = "disable" | "password" | "second_factor";

/** One person, and what an admin may do about them. All of it ends their sessions. */
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
    done: `${person.name} can sign in again.`,
    reads,
  });
  const back = { reads, after: () => setDeed(null) };
  const disable = useChange(() => api(`${path}/disable`, { method: "POST" }), {
    ...back,
    done: `${person.name} is shut out.`,
  });
  const factor = useChange(() => api(`${path}/second_factor`, { method: "POST" }), {
    ...back,
    done: "The second factor is taken away.",
  });
  const password = useChange(() => api(`${path}/password`, { method: "POST" }), {
    reads,
    after: onPassword,
  });
  const close = () => setDeed(null);

  if (deed === "disable") {
    return (
      <Confirm title={`Disable ${person.name}?`} confirm="Disable" change={disable} onClose={close}>
        <p>They are signed out at once and cannot sign in again until an admin enables them.</p>
      </Confirm>
    );
  }
  if (deed === "second_factor") {
    return (
      <Confirm
        title={`Take away ${person.name}'s second factor?`}
        confirm="Take it away"
        change={factor}
        onClose={close}
      >
        <p>For somebody who has lost their telephone: make sure that it is them who asks. They are signed out.</p>
      </Confirm>
    );
  }
  if (deed === "password") {
    return (
      <Confirm title={`Another password for ${person.name}?`} confirm="Make another" change={password} onClose={close}>
        <p>The one they have stops working, and they are signed out. The new one is shown once.</p>
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
              Enable
            </Button>
          ) : (
            !me && (
              <Button tone="danger" onClick={() => setDeed("disable")}>
                Disable
              </Button>
            )
          )}
          {person.second_factor && <Button onClick={() => setDeed("second_factor")}>Take second factor away</Button>}
          <Button icon="key" onClick={() => setDeed("password")}>
            Reset password
          </Button>
        </>
      }
    >
      <Facts
        facts={[
          ["E-mail", person.email],
          ["Role", roleNames[person.role]?.name ?? person.role],
          ["May", roleNames[person.role]?.may],
          ["Partner", person.partner],
          ["Second factor", <Factor key="factor" on={person.second_factor} />],
          ["Let in", <When key="created" at={person.created_at} />],
          ["Last here", person.last_signed_in_at ? <When key="last" at={person.last_signed_in_at} /> : "never"],
          ["Disabled", person.disabled_at && <When at={person.disabled_at} />],
        ]}
      />
      {me && <p className="small quiet">This is you: another admin would have to disable you.</p>}
      {enable.error !== null && <Problem error={enable.error} />}
    </Dialog>
  );
}

const Factor = ({ on }: { on: boolean }) => <Badge tone={on ? "good" : "wait"}>{on ? "On" : "Off"}</Badge>;
