import type { EventType, PortalEndpoint } from "@pestle/contract";
import { Badge } from "../../ui/badge.tsx";
import { When } from "../../ui/time.tsx";

const reasons = {
  partner: "by you",
  gone: "returned 410 Gone",
  failing: "every delivery failed",
} as const;

/** The endpoint's status and why it is disabled. */
export function EndpointState({ endpoint }: { endpoint: PortalEndpoint }) {
  const { status, disabled_reason, failing_since } = endpoint;
  if (status === "disabled") {
    return (
      <Badge tone={disabled_reason === "partner" ? "neutral" : "bad"}>
        Disabled{disabled_reason && `: ${reasons[disabled_reason]}`}
      </Badge>
    );
  }
  if (failing_since === null) return <Badge tone="good">Active</Badge>;
  return (
    <Badge tone="wait">
      Failing since <When at={failing_since} />
    </Badge>
  );
}

export const eventsText = (events: readonly EventType[]): string =>
  events.length === 0 ? "All except opt-in events" : events.join(", ");
