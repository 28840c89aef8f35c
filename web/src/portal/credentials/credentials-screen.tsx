import type { PortalCredential, PortalShownSecret } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Confirm } from "../../app/confirm.tsx";
import { SignedEndpoints } from "../../app/credential/signed-endpoints.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ShownOnce } from "../../ui/controls/shown-once.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { CreateCredential } from "./create-credential.tsx";
import { CredentialRow } from "./credential-row.tsx";
import styles from "./credentials-screen.module.css";
import { RotationWizard } from "./rotation-wizard.tsx";

/** The open dialog. */
type Layer =
  | { kind: "create" }
  | { kind: "shown"; shown: PortalShownSecret }
  | { kind: "rotate"; credential_id: string; shown: PortalShownSecret | null }
  | { kind: "revoke"; credential: PortalCredential };

/** The partner's API credentials. */
export function CredentialsScreen() {
  const { api_base, may_change } = usePortal();
  const path = `${api_base}/credentials` as const;
  const credentials = useApi(path, { refetch_ms: 15_000 });
  const [layer, setLayer] = useState<Layer | null>(null);
  const rotated =
    layer?.kind === "rotate" &&
    credentials.data?.credentials.find(({ credential_id }) => credential_id === layer.credential_id);
  useShortcuts(
    may_change ? [{ keys: "n", label: say("New credential"), run: () => setLayer({ kind: "create" }) }] : [],
  );
  return (
    <Page
      title={say("Credentials")}
      about={say("A credential is a client ID and secret. Your apps exchange it for access tokens.")}
      actions={
        may_change && (
          <Button tone="primary" icon="plus" keys="n" onClick={() => setLayer({ kind: "create" })}>
            {say("New credential")}
          </Button>
        )
      }
    >
      <Loaded query={credentials}>
        {({ credentials: rows }) =>
          rows.length === 0 ? (
            <Card>
              <Empty title={say("No credentials yet")}>
                <p>{say("Create one to run the quick start commands.")}</p>
              </Empty>
            </Card>
          ) : (
            <ul className={styles["list"]}>
              {rows.map((credential) => (
                <CredentialRow
                  key={credential.credential_id}
                  credential={credential}
                  onRotate={(shown) => setLayer({ kind: "rotate", credential_id: credential.credential_id, shown })}
                  onRevoke={() => setLayer({ kind: "revoke", credential })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {layer?.kind === "create" && (
        <CreateCredential onClose={() => setLayer(null)} onCreated={(shown) => setLayer({ kind: "shown", shown })} />
      )}
      {layer?.kind === "shown" && <Secret {...layer} onClose={() => setLayer(null)} />}
      {layer?.kind === "rotate" && rotated && (
        <RotationWizard credential={rotated} shown={layer.shown} onClose={() => setLayer(null)} />
      )}
      {layer?.kind === "revoke" && <Revoke credential={layer.credential} onClose={() => setLayer(null)} />}
    </Page>
  );
}

function Secret({ shown, onClose }: { shown: PortalShownSecret; onClose: () => void }) {
  const { client_id, client_secret } = shown;
  return (
    <ShownOnce
      title={say("Credential created")}
      onClose={onClose}
      keep={say("The pharmacy cannot show it either. Store it in a secrets manager, not in source code.")}
      secrets={[
        { label: say("Client ID"), text: client_id },
        { label: say("Client secret"), text: client_secret },
        { label: say("Shell variables"), text: `CLIENT_ID=${client_id}\nCLIENT_SECRET=${client_secret}` },
      ]}
    />
  );
}

function Revoke({ credential, onClose }: { credential: PortalCredential; onClose: () => void }) {
  const { api_base } = usePortal();
  const { credential_id, name, signs_endpoints } = credential;
  const path = `${api_base}/credentials` as const;
  const revoke = useChange(() => api(`${path}/${credential_id}/revoke`, { method: "POST" }), {
    done: say("Credential revoked."),
    reads: [path, `${api_base}/home`],
    after: onClose,
  });
  return (
    <Confirm
      title={say("Revoke “{name}”?", { name })}
      confirm={say("Revoke credential")}
      change={revoke}
      onClose={onClose}
    >
      <p>{say("Its secrets and all tokens issued for it stop working immediately. You cannot undo this.")}</p>
      <SignedEndpoints endpoints={signs_endpoints}>
        {sayWith("{warning} Choose another one for these endpoints first:", {
          warning: <strong>{say("This credential signs webhooks.")}</strong>,
        })}
      </SignedEndpoints>
    </Confirm>
  );
}
