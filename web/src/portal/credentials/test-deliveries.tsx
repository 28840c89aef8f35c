import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

/** A test event to an endpoint; null if the endpoint is disabled. */
export type SentTest = { url: string; event_id: string | null };
const WATCH_MS = 1_000;

/** The results of the test events. */
export function TestDeliveries({ tests }: { tests: readonly SentTest[] }) {
  return (
    <ul aria-label={say("Test events")}>
      {tests.map(({ url, event_id }) => (
        <li key={url} className="row">
          <code className="anywhere">{url}</code>
          {event_id === null ? <Badge>{say("Disabled, no test sent")}</Badge> : <Outcome event_id={event_id} />}
        </li>
      ))}
    </ul>
  );
}

function Outcome({ event_id }: { event_id: string }) {
  const { api_base, environment } = usePortal();
  const found = useApi(`${api_base}/webhook_events/${event_id}/deliveries`, { refetch_ms: WATCH_MS });
  const delivery = found.data?.deliveries[0];
  if (delivery?.status === "delivered") return <Badge tone="good">{say("Test delivered")}</Badge>;
  if (delivery === undefined || delivery.attempts === 0) return <Badge tone="wait">{say("Sending test…")}</Badge>;
  return (
    <Notice tone="bad" title={say("The test failed.")}>
      {sayWith(
        "Your receiver may not accept the new secret yet. Pestle tries again, so no event is lost. Fix the receiver, or switch back. {link}",
        {
          link: (
            <a href={`/portal/${environment}/events/${event_id}`} target="_blank" rel="noreferrer">
              {say("See its answer")}
            </a>
          ),
        },
      )}
    </Notice>
  );
}
