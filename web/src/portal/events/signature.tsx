import type { PortalEvent, PortalSignature } from "@pestle/contract";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { useApi } from "../../app/use-api.ts";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { SelectField } from "../../ui/controls/field.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { usePortal } from "../account.tsx";
import styles from "./signature.module.css";

/** How the headers of a delivery come about, step by step, with the very texts of this event. */
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
        <Empty title="There is no endpoint to sign for">
          <p>A signature covers the address it is sent to.</p>
        </Empty>
      </Card>
    );
  }
  return (
    <Card>
      <div className="stack">
        {offered.length > 1 && (
          <SelectField
            label="Endpoint"
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
        <h3>Put method, address and body behind each other</h3>
        <p className="quiet small">
          The address exactly as it was registered, the body as raw bytes. Nothing stands between the three.
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can then be scrolled with the keyboard */}
        <pre tabIndex={0} className={styles["joined"]}>
          <span data-part="method">{method}</span>
          <span data-part="url">{url}</span>
          <span data-part="body">{body}</span>
        </pre>
        <p className={`row small ${styles["parts"]}`}>
          <span data-part="method">method</span>
          <span data-part="url">address</span>
          <span data-part="body">body</span>
        </p>
      </li>
      <li>
        <h3>Encode that as a form does: the base string</h3>
        <p className="quiet small">
          Letters, digits and <code>_ . - ~</code> stay, a space becomes <code>+</code>, every other byte{" "}
          <code>%XX</code>.
        </p>
        <Copyable block tall text={base} label="the base string" />
      </li>
      <li>
        <h3>Make the key</h3>
        <p className="quiet small">
          The SHA-256 of the client secret no. {secret_id} of <code>{client_id}</code>, as 64 hexadecimal digits.
        </p>
        <Copyable
          block
          label="the command for the key"
          text={`KEY=$(printf %s "$CLIENT_SECRET" | openssl dgst -sha256 -r | cut -c1-64)`}
        />
      </li>
      <li>
        <h3>Sign the base string, and compare</h3>
        <p className="quiet small">
          HMAC-SHA1, a newline after its 20 bytes, then Base64. It must be what the first header says.
        </p>
        <Copyable
          block
          tall
          label="the command for the signature"
          text={`{ printf %s '${base}' \\\n  | openssl dgst -sha1 -hmac "$KEY" -binary; echo; } | base64`}
        />
      </li>
      <li>
        <h3>The headers of this delivery</h3>
        <dl className={styles["headers"]}>
          {headers.map(({ name, value, how }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                {value.endsWith("…") ? <code>{value}</code> : <Copyable text={value} label={name} />}
                <p className="quiet small">{how}</p>
              </dd>
            </div>
          ))}
        </dl>
      </li>
    </ol>
  );
}
