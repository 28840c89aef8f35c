import {
  type CredentialKey,
  type CredentialLimits,
  type CredentialLimitsUpdate,
  type CredentialSecret,
  TOKEN_LIFETIME_S,
} from "@pestle/contract";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { CheckField, TextArea, TextField } from "../../ui/controls/field.tsx";
import { Dialog } from "../../ui/display/dialog.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import type { ReadPrefix } from "../api-path.ts";
import { Problem } from "../problem.tsx";
import { useChange } from "../use-change.ts";
import styles from "./limits.module.css";

type Limited = CredentialLimits & { keys: CredentialKey[]; secrets: CredentialSecret[]; revoked_at: string | null };

/** What a credential demands, and whether its secret is due for a change. Nothing for a credential without limits. */
export function LimitBadges({ credential }: { credential: Limited }) {
  const { key_required, keys, allowed_networks, token_lifetime_s, secrets, revoked_at } = credential;
  if (revoked_at !== null) return null;
  const old = secrets.some(({ rotate_by }) => new Date(rotate_by).getTime() <= Date.now());
  return (
    <>
      {old && <Badge tone="wait">{say("Rotate the secret")}</Badge>}
      {key_required ? <Badge>{say("Key required")}</Badge> : keys.length > 0 && <Badge>{say("Has a key")}</Badge>}
      {allowed_networks.length > 0 && <Badge>{say("Allow-list")}</Badge>}
      {token_lifetime_s !== null && <Badge>{say("Tokens {seconds} s", { seconds: token_lifetime_s })}</Badge>}
    </>
  );
}

/** Changes the keys and limits of a credential, in the portal and in the dashboard. */
export function LimitsDialog({
  name,
  credential,
  reads,
  send,
  onClose,
}: {
  name: string;
  credential: Limited;
  reads: readonly ReadPrefix[];
  send: {
    limits: (body: CredentialLimitsUpdate) => Promise<unknown>;
    addKey: (key: string) => Promise<unknown>;
    removeKey: (kid: string) => Promise<unknown>;
  };
  onClose: () => void;
}) {
  const [networks, setNetworks] = useState(credential.allowed_networks.join("\n"));
  const [lifetime, setLifetime] = useState(String(credential.token_lifetime_s ?? ""));
  const [key_required, setRequired] = useState(credential.key_required);
  const [key, setKey] = useState("");
  const save = useChange(
    () =>
      send.limits({
        allowed_networks: networks.split(/[\s,]+/).filter((one) => one !== ""),
        token_lifetime_s: lifetime.trim() === "" ? null : Number(lifetime),
        key_required,
      }),
    { done: say("Limits saved."), reads, after: onClose },
  );
  const add = useChange(() => send.addKey(key), { done: say("Key registered."), reads, after: () => setKey("") });
  const remove = useChange(send.removeKey, { done: say("Key removed."), reads });
  const { keys } = credential;
  return (
    <Dialog
      title={say("Keys and limits of {name}", { name })}
      onClose={onClose}
      onSubmit={() => void save.run()}
      actions={
        <>
          <Button onClick={onClose}>{say("Cancel")}</Button>
          <Button tone="primary" type="submit" busy={save.busy}>
            {say("Save limits")}
          </Button>
        </>
      }
    >
      <TextArea
        label={say("Allowed addresses")}
        hint={say(
          "One IP address or network per line, such as 192.0.2.0/24. If empty, every address can use the credential.",
        )}
        value={networks}
        onChange={(event) => setNetworks(event.target.value)}
      />
      <TextField
        label={say("Token lifetime in seconds")}
        hint={say("60 to {most}. If empty, 12 hours. Applies to new tokens.", { most: TOKEN_LIFETIME_S })}
        inputMode="numeric"
        pattern="[0-9]*"
        value={lifetime}
        onChange={(event) => setLifetime(event.target.value)}
      />
      <CheckField
        label={say("Require a key")}
        hint={say("Tokens only for a JWT that a key signed (private_key_jwt). The secret then only signs webhooks.")}
        checked={key_required}
        disabled={keys.length === 0 && !key_required}
        onChange={(event) => setRequired(event.target.checked)}
      />
      {save.error !== null && <Problem error={save.error} />}
      <h3>{say("Keys")}</h3>
      {keys.length === 0 ? (
        <p className="quiet">{say("No keys yet. Apps sign in with the client secret.")}</p>
      ) : (
        <ul className={styles["keys"]} aria-label={say("Keys")}>
          {keys.map(({ kid, kty, last_used_at }) => (
            <li key={kid}>
              <code className="anywhere">{kid}</code>
              <span className="quiet small">
                {kty} ·{" "}
                {last_used_at === null
                  ? say("never used")
                  : sayWith("last used {when}", { when: <When at={last_used_at} /> })}
              </span>
              <Button small tone="danger" busy={remove.busy} onClick={() => void remove.run(kid)}>
                {say("Remove")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <TextArea
        label={say("New public key")}
        hint={say("A JWK or a PEM public key: EC P-256, Ed25519 or RSA. Never paste a private key.")}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <Button small icon="plus" busy={add.busy} disabled={key.trim() === ""} onClick={() => void add.run()}>
        {say("Register key")}
      </Button>
      {add.error !== null && <Problem error={add.error} />}
      {remove.error !== null && <Problem error={remove.error} />}
    </Dialog>
  );
}
