import type { PortalAttempt, PortalEvent } from "@pestle/contract";
import { useEffect, useRef } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayName } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { milliseconds } from "../figures.ts";
import styles from "./event-screen.module.css";

/** All delivery attempts of an event, newest first, with request and response. */
export function Attempts({ event: { event_id, deliveries } }: { event: PortalEvent }) {
  const { api_base } = usePortal();
  const attempts = useApi(`${api_base}/webhook_events/${event_id}/attempts?limit=100`, {
    written_down: true,
  });
  const made = deliveries.reduce((sum, delivery) => sum + delivery.attempts, 0);
  const { refetch } = attempts;
  // The server audits this read, so refetch only when the event's attempt count changes.
  const seen = useRef(made);
  useEffect(() => {
    if (seen.current !== made) void refetch();
    seen.current = made;
  }, [made, refetch]);
  const endpoints = useApi(`${api_base}/webhook_endpoints`).data?.webhook_endpoints ?? [];
  return (
    <Card flush>
      <Loaded query={attempts}>
        {({ attempts: rows }) =>
          rows.length === 0 ? (
            <Empty title={say("No attempts yet")}>
              <p>{say("The first attempt starts within seconds if you have an endpoint.")}</p>
            </Empty>
          ) : (
            <ol>
              {rows.map((attempt) => (
                <Attempt
                  key={`${attempt.endpoint_id} ${attempt.attempt}`}
                  attempt={attempt}
                  url={endpoints.find(({ id }) => id === attempt.endpoint_id)?.url}
                />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}

function Attempt({ attempt, url }: { attempt: PortalAttempt; url: string | undefined }) {
  const { attempt: number, at, delivered, status, error, error_message, duration_ms, request, response } = attempt;
  return (
    <li className={styles["attempt"]}>
      <details>
        <summary>
          <span className={styles["number"]}>{number}.</span>
          <When at={at} seconds />
          <Badge tone={delivered ? "good" : "bad"}>{delivered ? say("Delivered") : say("Failed")}</Badge>
          {status !== null && <code>{status}</code>}
          <span className={styles["sentence"]}>{error_message ? sayName(error_message) : (error ?? url)}</span>
          <span className="quiet">{milliseconds(duration_ms)}</span>
        </summary>
        <div className={styles["detail"]}>
          <div>
            <h3>{say("Request")}</h3>
            {request === null ? (
              <p className="quiet">{say("Not available: never sent, or past retention.")}</p>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: lets the keyboard scroll it
              <pre tabIndex={0}>{requestText(request)}</pre>
            )}
          </div>
          <div>
            <h3>{say("Response")}</h3>
            {response === null ? (
              <p className="quiet">{say("No response.")}</p>
            ) : (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: as above
              <pre tabIndex={0}>
                {`${status ?? ""}${response.content_type === null ? "" : `\ncontent-type: ${response.content_type}`}\n\n${response.body}`}
              </pre>
            )}
          </div>
        </div>
      </details>
    </li>
  );
}

const requestText = ({ method, url, headers, body }: NonNullable<PortalAttempt["request"]>) =>
  `${method} ${url}\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")}\n\n${body}`;
