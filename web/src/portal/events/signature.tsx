import type { PortalEvent, PortalSignature } from "@pestle/contract";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { useApi } from "../../app/use-api.ts";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { SelectField } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { say, sayName, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import styles from "./signature.module.css";

/** Explains how a delivery is signed, step by step, with this event's data. */
export function Signature({ event: { event_id, deliveries } }: { event: PortalEvent }) {
  const { api_base } = usePortal();
  const endpoints = useApi(`${api_base}/webhook_endpoints`).data?.webhook_endpoints ?? [];
  const ids = deliveries.map(({ endpoint_id }) => endpoint_id);
  const offered = endpoints.filter(({ id }) => ids.length === 0 || ids.includes(id));
  const [chosen, setChosen] = useState("");
  const endpoint_id = chosen || (offered[0]?.id ?? "");
  const signature = useApi(
    `${api_base}/webhook_events/${event_id}/signature?endpoint_id=${encodeURIComponent(endpoint_id)}`,
    { enabled: endpoint_id !== "", written_down: true },
  );
  if (endpoint_id === "") {
    return (
      <Card>
        <Empty title={say("No endpoint")}>
          <p>{say("The signature covers the endpoint's URL. Add an endpoint to see it.")}</p>
        </Empty>
      </Card>
    );
  }
  return (
    <Card>
      <div className="stack">
        {offered.length > 1 && (
          <SelectField
            label={say("Endpoint")}
            options={offered.map(({ id, url }) => [id, url])}
            value={endpoint_id}
            onChange={(event) => setChosen(event.target.value)}
          />
        )}
        <Loaded query={signature}>{(shown) => <Steps {...shown} />}</Loaded>
      </div>
    </Card>
  );
}

function Steps({ method, url, body, base, client_id, secret_id, headers }: PortalSignature) {
  return (
    <ol className={styles["steps"]}>
      <li>
        <h3>{say("Concatenate method, URL and body")}</h3>
        <p className="quiet small">
          {say("Use the URL exactly as registered and the raw body bytes, with no separators.")}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: lets the keyboard scroll it */}
        <pre tabIndex={0} className={styles["joined"]}>
          <span data-part="method">{method}</span>
          <span data-part="url">{url}</span>
          <span data-part="body">{body}</span>
        </pre>
        <p className={`row small ${styles["parts"]}`}>
          <span data-part="method">{say("method")}</span>
          <span data-part="url">{say("URL")}</span>
          <span data-part="body">{say("body")}</span>
        </p>
      </li>
      <li>
        <h3>{say("Form-encode the result to get the base string")}</h3>
        <p className="quiet small">
          {sayWith("Letters, digits and {signs} stay as they are. A space becomes {plus}, every other byte {escape}.", {
            signs: <code>_ . - ~</code>,
            plus: <code>+</code>,
            escape: <code>%XX</code>,
          })}
        </p>
        <Copyable block tall text={base} label={say("base string")} />
      </li>
      <li>
        <h3>{say("Derive the key")}</h3>
        <p className="quiet small">
          {sayWith("SHA-256 of client secret #{secret_id} of {client_id}, as 64 hex digits.", {
            secret_id,
            client_id: <code>{client_id}</code>,
          })}
        </p>
        <Copyable
          block
          label={say("key command")}
          text={`KEY=$(printf %s "$CLIENT_SECRET" | openssl dgst -sha256 -r | cut -c1-64)`}
        />
      </li>
      <li>
        <h3>{say("Sign the base string and compare")}</h3>
        <p className="quiet small">
          {say(
            "Compute HMAC-SHA1, append a newline to its 20 bytes, and Base64-encode it. The result must equal the first header.",
          )}
        </p>
        <Copyable
          block
          tall
          label={say("signature command")}
          text={`{ printf %s '${base}' \\\n  | openssl dgst -sha1 -hmac "$KEY" -binary; echo; } | base64`}
        />
      </li>
      <li>
        <h3>{say("Headers of this delivery")}</h3>
        <dl className={styles["headers"]}>
          {headers.map(({ name, value, how }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                {value.endsWith("…") ? <code>{value}</code> : <Copyable text={value} label={name} />}
                <p className="quiet small">{sayName(how)}</p>
              </dd>
            </div>
          ))}
        </dl>
      </li>
    </ol>
  );
}
