import type { PortalEndpoint } from "@pestle/contract";
import { Fragment } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Countdown, When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";

const disabledTexts = {
  partner: say("Disabled: by you"),
  gone: say("Disabled: returned 410 Gone"),
  failing: say("Disabled: every delivery failed"),
} as const;

/** The endpoint's status and why it is disabled. */
export function EndpointState({ endpoint }: { endpoint: PortalEndpoint }) {
  const { status, disabled_reason, failing_since, next_attempt_at } = endpoint;
  if (status === "disabled") {
    return (
      <Badge tone={disabled_reason === "partner" ? "neutral" : "bad"}>
        {disabled_reason === null ? say("Disabled") : disabledTexts[disabled_reason]}
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
      <Countdown
        until={at}
        ahead_s={account.clock_offset_s}
        text={(time) => sayWith("Slowed: next try in {time}", { time })}
        none={say("Slowed: next try now")}
      />
    </span>
  );
}

/** The events that an endpoint subscribes to. */
export const EventNames = ({ events }: Pick<PortalEndpoint, "events">) =>
  events.length === 0
    ? say("All except opt-in events")
    : events.map((event_type, at) => (
        <Fragment key={event_type}>
          {at > 0 && ", "}
          <code>{event_type}</code>
        </Fragment>
      ));
