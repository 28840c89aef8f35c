import type { PortalCredential, PortalShownSecret } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Confirm } from "../../app/confirm.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ShownOnce } from "../../ui/controls/shown-once.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { usePortal } from "../account.tsx";
import { CreateCredential } from "./create-credential.tsx";
import { CredentialRow } from "./credential-row.tsx";
import styles from "./credentials-screen.module.css";

/** What is open over the list. */
type Layer =
  | { kind: "create" }
  | { kind: "shown"; shown: PortalShownSecret; rotated: boolean }
  | { kind: "revoke"; credential: PortalCredential };

/** With what a partner's programs prove who they are. */
export function CredentialsScreen() {
  const { api_base, may_change } = usePortal();
  const path = `${api_base}/credentials` as const;
  const credentials = useApi(path, { refetch_ms: 15_000 });
  const [layer, setLayer] = useState<Layer | null>(null);
  useShortcuts(may_change ? [{ keys: "n", label: "New credential", run: () => setLayer({ kind: "create" }) }] : []);
  return (
    <Page
      title="Credentials"
      about="A credential is a client id with a secret. Programs trade it for access tokens."
      actions={
        may_change && (
          <Button tone="primary" icon="plus" keys="n" onClick={() => setLayer({ kind: "create" })}>
            New credential
          </Button>
        )
      }
    >
      <Loaded query={credentials}>
        {({ credentials: rows }) =>
          rows.length === 0 ? (
            <Card>
              <Empty title="No credential yet">
                <p>Create one, and the commands of the quick start work.</p>
              </Empty>
            </Card>
          ) : (
            <ul className={styles["list"]}>
              {rows.map((credential) => (
                <CredentialRow
                  key={credential.credential_id}
                  credential={credential}
                  onShown={(shown) => setLayer({ kind: "shown", shown, rotated: true })}
                  onRevoke={() => setLayer({ kind: "revoke", credential })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {layer?.kind === "create" && (
        <CreateCredential
          onClose={() => setLayer(null)}
          onCreated={(shown) => setLayer({ kind: "shown", shown, rotated: false })}
        />
      )}
      {layer?.kind === "shown" && <Secret {...layer} onClose={() => setLayer(null)} />}
      {layer?.kind === "revoke" && <Revoke credential={layer.credential} onClose={() => setLayer(null)} />}
    </Page>
  );
}

function Secret({ shown, rotated, onClose }: { shown: PortalShownSecret; rotated: boolean; onClose: () => void }) {
  const { client_id, client_secret } = shown;
  return (
    <ShownOnce
      title={rotated ? "The new secret" : "The credential is made"}
      onClose={onClose}
      keep="Nobody can look it up later, not even the pharmacy. Keep it where your program finds it, and out of code that others can read."
      secrets={[
        { label: "Client id", text: client_id },
        { label: "Client secret", text: client_secret },
        { label: "For a shell", text: `CLIENT_ID=${client_id}\nCLIENT_SECRET=${client_secret}` },
      ]}
    >
      {rotated && <p>The secret before it goes on working until you end it: switch your programs over first.</p>}
    </ShownOnce>
  );
}

function Revoke({ credential, onClose }: { credential: PortalCredential; onClose: () => void }) {
  const { api_base } = usePortal();
  const { credential_id, name, signs_endpoints } = credential;
  const path = `${api_base}/credentials` as const;
  const revoke = useChange(() => api(`${path}/${credential_id}/revoke`, { method: "POST" }), {
    done: "The credential is revoked.",
    reads: [path, `${api_base}/home`],
    after: onClose,
  });
  return (
    <Confirm title={`Revoke “${name}”?`} confirm="Revoke the credential" change={revoke} onClose={onClose}>
      <p>Its secrets and every token that was issued for it stop working at once. This cannot be taken back.</p>
      {signs_endpoints.length > 0 && (
        <>
          <p>
            <strong>It signs webhooks.</strong> Choose another credential for these endpoints first:
          </p>
          <ul>
            {signs_endpoints.map(({ id, url }) => (
              <li key={id}>
                <code className="anywhere">{url}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </Confirm>
  );
}
