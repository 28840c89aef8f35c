import type { PortalCredential, PortalShownSecret } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { LimitBadges, LimitsDialog } from "../../app/credential/limits.tsx";
import { Problem } from "../../app/problem.tsx";
import { useChange } from "../../app/use-change.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./credentials-screen.module.css";

const signsText = (count: number) =>
  count === 1 ? say("signs one endpoint") : say("signs {count} endpoints", { count });

/** A credential with its secrets. During rotation it has two; the old one works until the user expires it. */
export function CredentialRow({
  credential,
  onRotate,
  onRevoke,
}: {
  credential: PortalCredential;
  /** Opens the rotation, with the new secret if one was just created. */
  onRotate: (shown: PortalShownSecret | null) => void;
  onRevoke: () => void;
}) {
  const { api_base, may_change } = usePortal();
  const { credential_id, client_id, name, created_at, revoked_at, last_used_at, secrets, signs_endpoints } = credential;
  const path = `${api_base}/credentials` as const;
  const rotate = useChange(() => api(`${path}/${credential_id}/rotate`, { method: "POST" }), {
    reads: [path],
    after: onRotate,
  });
  const [limiting, setLimiting] = useState(false);
  const rotating = secrets.length > 1;
  return (
    <li className={styles["credential"]} data-revoked={revoked_at !== null || undefined}>
      <div className="row-apart">
        <h2 className={styles["name"]}>
          <span data-as-typed>{name}</span>{" "}
          {revoked_at !== null ? (
            <Badge>{say("Revoked")}</Badge>
          ) : rotating ? (
            <Badge tone="wait">{say("Two secrets")}</Badge>
          ) : (
            <Badge tone="good">{say("Active")}</Badge>
          )}{" "}
          <LimitBadges credential={credential} />
        </h2>
        {may_change && revoked_at === null && (
          <div className="row">
            {rotating ? (
              <Button small icon="refresh" onClick={() => onRotate(null)}>
                {say("Continue rotation")}
              </Button>
            ) : (
              <Button small icon="refresh" busy={rotate.busy} onClick={() => void rotate.run()}>
                {say("Rotate")}
              </Button>
            )}
            <Button small onClick={() => setLimiting(true)}>
              {say("Keys and limits")}
            </Button>
            <Button small tone="danger" onClick={onRevoke}>
              {say("Revoke")}
            </Button>
          </div>
        )}
      </div>
      {revoked_at === null ? <Copyable text={client_id} label={say("client ID")} /> : <code>{client_id}</code>}
      <p className="quiet small">
        {sayWith("Created {when}", { when: <When at={created_at} /> })} ·{" "}
        {revoked_at !== null
          ? sayWith("revoked {when}", { when: <When at={revoked_at} /> })
          : last_used_at === null
            ? say("never used")
            : sayWith("last used {when}", { when: <When at={last_used_at} /> })}
        {signs_endpoints.length > 0 && ` · ${signsText(signs_endpoints.length)}`}
      </p>
      {rotating && (
        <ul className={styles["secrets"]} aria-label={say("Secrets")}>
          {secrets.map((secret, at) => (
            <li key={secret.secret_id}>
              <span>
                {at === 0 ? say("Old secret") : say("New secret")} <span className="quiet">#{secret.secret_id}</span>
              </span>
              <span className="quiet small">
                {secret.last_used_at === null
                  ? say("never used")
                  : sayWith("last used {when}", { when: <When at={secret.last_used_at} /> })}
              </span>
              {signs_endpoints.some(({ secret_id }) => secret_id === secret.secret_id) && (
                <Badge tone="info">{say("Signs webhooks")}</Badge>
              )}
            </li>
          ))}
        </ul>
      )}
      {rotate.error !== null && <Problem error={rotate.error} />}
      {limiting && (
        <LimitsDialog
          name={name}
          credential={credential}
          reads={[path]}
          send={{
            limits: (body) => api(`${path}/${credential_id}`, { method: "PATCH", body }),
            addKey: (key) => api(`${path}/${credential_id}/keys`, { method: "POST", body: { key } }),
            removeKey: (kid) => api(`${path}/${credential_id}/keys/remove`, { method: "POST", body: { kid } }),
          }}
          onClose={() => setLimiting(false)}
        />
      )}
    </li>
  );
}
