import type { PortalEndpoint } from "@pestle/contract";
import { Fragment } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Countdown, When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

const reasons = {
  partner: "by you",
  gone: "returned 410 Gone",
  failing: "every delivery failed",
} as const;

/** The endpoint's status and why it is disabled. */
export function EndpointState({ endpoint }: { endpoint: PortalEndpoint }) {
  const { status, disabled_reason, failing_since, next_attempt_at } = endpoint;
  if (status === "disabled") {
    return (
      <Badge tone={disabled_reason === "partner" ? "neutral" : "bad"}>
        {sayWith("Disabled{value}", { value: disabled_reason && `: ${reasons[disabled_reason]}` })}
      </Badge>
    );
  }
  if (failing_since === null) return <Badge tone="good">{say("Active")}</Badge>;
  if (next_attempt_at !== null) {
    return (
      <Badge tone="wait">
        <NextTry at={next_attempt_at} />
      </Badge>
    );
  }
  return <Badge tone="wait">{sayWith("Failing since {when}", { when: <When at={failing_since} /> })}</Badge>;
}

/** When a slowed endpoint gets its next delivery. Never a time in the past: one that is due is on its way. */
export function NextTry({ at }: { at: string }) {
  const { account } = usePortal();
  return (
    <span className="nowrap">
      {sayWith("Slowed: next try {countdown}", {
        countdown: <Countdown until={at} ahead_s={account.clock_offset_s} before={say("in")} none={say("now")} />,
      })}
    </span>
  );
}

/** The events that an endpoint subscribes to. */
export const EventNames = ({ events }: Pick<PortalEndpoint, "events">) =>
  events.length === 0
    ? "All except opt-in events"
    : events.map((event_type, at) => (
        <Fragment key={event_type}>
          {at > 0 && ", "}
          <code>{event_type}</code>
        </Fragment>
      ));
