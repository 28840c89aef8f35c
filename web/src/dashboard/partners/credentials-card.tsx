import type { DashboardCredential, ShownCredential } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import type { ReadPrefix } from "../../app/api-path.ts";
import { Confirm } from "../../app/confirm.tsx";
import { LimitBadges, LimitsDialog } from "../../app/credential/limits.tsx";
import { SignedEndpoints, signedByOld } from "../../app/credential/signed-endpoints.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { ShownOnce } from "../../ui/controls/shown-once.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Age, When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { admins } from "../roles.ts";
import { NewCredential } from "./new-credential.tsx";
import styles from "./partner-screen.module.css";

type Layer =
  | { kind: "new" }
  | { kind: "shown"; shown: ShownCredential; rotated: boolean }
  | { kind: "finish" | "revoke"; credential: DashboardCredential }
  | { kind: "limits"; client_id: string };

/** The account's API credentials. A secret is shown once, at creation. */
export function CredentialsCard({ account_id }: { account_id: string }) {
  const path = `/dashboard/partners/${account_id}/credentials` as const;
  const reads = [path, "/dashboard/partners"] as const;
  const credentials = useApi(path);
  const may = admins.includes(useSignedIn().role);
  const [layer, setLayer] = useState<Layer | null>(null);
  const close = () => setLayer(null);
  useShortcuts(may ? [{ keys: "n", label: say("New credential"), run: () => setLayer({ kind: "new" }) }] : []);
  const rotate = useChange(
    (client_id: string) => api(`/dashboard/credentials/${client_id}/rotate`, { method: "POST" }),
    { reads, after: (shown) => setLayer({ kind: "shown", shown, rotated: true }) },
  );
  const deeds = (credential: DashboardCredential) => (
    <span className={styles["deeds"]}>
      {credential.secrets.length > 1 ? (
        <Button small onClick={() => setLayer({ kind: "finish", credential })}>
          {say("Expire old secret")}
        </Button>
      ) : (
        <Button small icon="refresh" busy={rotate.busy} onClick={() => void rotate.run(credential.client_id)}>
          {say("Rotate")}
        </Button>
      )}
      <Button small onClick={() => setLayer({ kind: "limits", client_id: credential.client_id })}>
        {say("Limits")}
      </Button>
      <Button small tone="danger" onClick={() => setLayer({ kind: "revoke", credential })}>
        {say("Revoke")}
      </Button>
    </span>
  );
  return (
    <Card
      title={say("Credentials")}
      flush
      actions={
        may && (
          <Button small icon="plus" keys="n" onClick={() => setLayer({ kind: "new" })}>
            {say("New credential")}
          </Button>
        )
      }
    >
      {rotate.error !== null && <Problem error={rotate.error} />}
      <Loaded query={credentials}>
        {({ credentials: rows }) => (
          <Table
            caption={say("Credentials")}
            columns={[
              ...columns,
              {
                title: say("Actions"),
                unseen: true,
                number: true,
                cell: (row) => may && row.revoked_at === null && deeds(row),
              },
            ]}
            rows={rows}
            rowKey={({ client_id }) => client_id}
            dim={({ revoked_at }) => revoked_at !== null}
            empty={
              <Empty title={say("No credentials yet")}>{say("The partner cannot call the API without one.")}</Empty>
            }
          />
        )}
      </Loaded>
      {layer?.kind === "new" && (
        <NewCredential
          path={path}
          reads={reads}
          onClose={close}
          onCreated={(shown) => setLayer({ kind: "shown", shown, rotated: false })}
        />
      )}
      {layer?.kind === "shown" && <Secret {...layer} onClose={close} />}
      {layer?.kind === "finish" && <Finish credential={layer.credential} reads={reads} onClose={close} />}
      {layer?.kind === "limits" && <Limits client_id={layer.client_id} path={path} reads={reads} onClose={close} />}
      {layer?.kind === "revoke" && <Revoke credential={layer.credential} reads={reads} onClose={close} />}
    </Card>
  );
}

const columns: Column<DashboardCredential>[] = [
  {
    title: say("Name"),
    cell: ({ name, revoked_at, secrets }) => (
      <span className="row">
        {name}
        {revoked_at !== null ? (
          <Badge>{say("Revoked")}</Badge>
        ) : (
          secrets.length > 1 && <Badge tone="wait">{say("Two secrets")}</Badge>
        )}
      </span>
    ),
  },
  { title: say("Client ID"), cell: ({ client_id }) => <code>{client_id}</code> },
  { title: say("Limits"), cell: (credential) => <LimitBadges credential={credential} /> },
  { title: say("Scopes"), cell: ({ scopes }) => scopes.join(", ") || "–" },
  { title: say("Created"), cell: ({ created_at }) => <When at={created_at} /> },
  {
    title: say("Last used"),
    cell: ({ secrets, revoked_at }) => {
      const used = secrets
        .map(({ last_used_at }) => last_used_at ?? "")
        .sort()
        .at(-1);
      if (revoked_at !== null) return <When at={revoked_at} />;
      if (used) {
        return <>{sayWith("{age} ago", { age: <Age since={used} /> })}</>;
      }
      return <span className="quiet">{say("never")}</span>;
    },
  },
];

function Secret({ shown, rotated, onClose }: { shown: ShownCredential; rotated: boolean; onClose: () => void }) {
  return (
    <ShownOnce
      title={rotated ? say("New secret") : say("Credential created")}
      onClose={onClose}
      keep={say("Send it to the partner's developers over a secure channel.")}
      secrets={[
        { label: say("Client ID"), text: shown.client_id },
        { label: say("Client secret"), text: shown.client_secret },
      ]}
    >
      {rotated && <p>{say("The old secret keeps working until you expire it, so the partner can switch first.")}</p>}
    </ShownOnce>
  );
}

/** Reads the credential again, so that the dialog shows a key that it has just registered. */
function Limits({
  client_id,
  path,
  reads,
  onClose,
}: {
  client_id: string;
  path: `/dashboard/partners/${string}/credentials`;
  reads: readonly ReadPrefix[];
  onClose: () => void;
}) {
  const credential = useApi(path).data?.credentials.find((one) => one.client_id === client_id);
  if (credential === undefined) return null;
  const own = `/dashboard/credentials/${client_id}` as const;
  return (
    <LimitsDialog
      name={credential.name}
      credential={credential}
      reads={reads}
      send={{
        limits: (body) => api(own, { method: "PATCH", body }),
        addKey: (key) => api(`${own}/keys`, { method: "POST", body: { key } }),
        removeKey: (kid) => api(`${own}/keys/remove`, { method: "POST", body: { kid } }),
      }}
      onClose={onClose}
    />
  );
}

type Ending = { credential: DashboardCredential; reads: readonly ReadPrefix[]; onClose: () => void };

function Finish({ credential, reads, onClose }: Ending) {
  const { name, client_id } = credential;
  const finish = useChange(() => api(`/dashboard/credentials/${client_id}/finish`, { method: "POST" }), {
    done: say("Old secret expired."),
    reads,
    after: onClose,
  });
  return (
    <Confirm
      title={say("Expire the old secret of {name}?", { name })}
      confirm={say("Expire now")}
      change={finish}
      onClose={onClose}
    >
      <p>
        {say(
          "Token requests with the old secret fail immediately. Tokens already issued stay valid until they expire. You cannot undo this.",
        )}
      </p>
      <SignedEndpoints endpoints={signedByOld(credential)}>
        <strong>{say("The old secret signs webhooks.")}</strong>{" "}
        {say("Pestle will sign them with the new one. Ask the partner first whether these endpoints accept it:")}
      </SignedEndpoints>
    </Confirm>
  );
}

function Revoke({ credential: { name, client_id, signs_endpoints }, reads, onClose }: Ending) {
  const revoke = useChange(() => api(`/dashboard/credentials/${client_id}/revoke`, { method: "POST" }), {
    done: say("Credential revoked."),
    reads,
    after: onClose,
  });
  return (
    <Confirm
      title={say("Revoke {name}?", { name })}
      confirm={say("Revoke credential")}
      change={revoke}
      onClose={onClose}
    >
      <p>{say("Its secrets and all tokens issued for it stop working immediately. You cannot undo this.")}</p>
      <SignedEndpoints endpoints={signs_endpoints}>
        <strong>{say("This credential signs webhooks.")}</strong>{" "}
        {say("The partner must choose another one for these endpoints first:")}
      </SignedEndpoints>
    </Confirm>
  );
}
