import type { PortalEndpoint } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Confirm } from "../../app/confirm.tsx";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { Link, useNavigate } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useParam } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { Certification } from "./certification.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { EndpointState, EventNames, NextTry } from "./endpoint-state.tsx";
import { EndpointStatistics } from "./endpoint-statistics.tsx";
import { RedeliverSince } from "./redeliver-since.tsx";
import { TestEvent } from "./test-event.tsx";

/** One endpoint: details, statistics and actions. */
export function EndpointScreen() {
  const { api_base, link_base } = usePortal();
  const endpoint_id = useParam("endpoint_id");
  const endpoint = useApi(`${api_base}/webhook_endpoints/${encodeURIComponent(endpoint_id)}`, {
    refetch_ms: 5_000,
  });
  return (
    <Page
      title={say("Endpoint")}
      heading={
        <span className="row">
          {say("Endpoint")} {endpoint.data && <EndpointState endpoint={endpoint.data} />}
        </span>
      }
      actions={<Link to={`${link_base}/webhooks`}>{say("All endpoints")}</Link>}
    >
      <Loaded query={endpoint} lines={8}>
        {(shown) => <Shown endpoint={shown} />}
      </Loaded>
    </Page>
  );
}

function Shown({ endpoint }: { endpoint: PortalEndpoint }) {
  const { api_base, link_base, may_change } = usePortal();
  const navigate = useNavigate();
  const [layer, setLayer] = useState<"edit" | "delete" | null>(null);
  const { id, url, events, status, disabled_reason, signing_credential_id, signing_secret_id, description } = endpoint;
  const path = `${api_base}/webhook_endpoints` as const;
  const reads = [path, `${api_base}/home`, `${api_base}/credentials`] as const;
  const active = status === "active";
  const toggle = useChange(
    () => api(`${path}/${id}`, { method: "PATCH", body: { status: active ? "disabled" : "active" } }),
    { done: active ? say("Endpoint disabled.") : say("Endpoint enabled. Pending events are on their way."), reads },
  );
  const tryNow = useChange(() => api(`${path}/${id}/try_now`, { method: "POST" }), {
    done: say("Sending the pending events now."),
    reads: [path, `${api_base}/webhook_events`, `${api_base}/home`],
  });
  const remove = useChange(() => api(`${path}/${id}`, { method: "DELETE" }), {
    done: say("Endpoint deleted."),
    reads: [path, `${api_base}/home`, `${api_base}/credentials`],
    after: () => void navigate({ to: `${link_base}/webhooks` }),
  });
  return (
    <>
      {disabled_reason !== null && disabled_reason !== "partner" && (
        <Notice tone="bad" title={say("This endpoint is disabled and receives no events.")}>
          {disabled_reason === "gone"
            ? say(
                "It returned 410 Gone, which tells Pestle to stop sending. Fix it, then enable it to receive the pending events.",
              )
            : say("Every delivery failed for five days. Fix it, then enable it to receive the pending events.")}
        </Notice>
      )}
      {endpoint.next_attempt_at !== null && endpoint.failing_since !== null && (
        <Notice
          tone="wait"
          title={<NextTry at={endpoint.next_attempt_at} />}
          actions={
            may_change && (
              <Button small busy={tryNow.busy} onClick={() => void tryNow.run()}>
                {say("Try now")}
              </Button>
            )
          }
        >
          {sayWith("Deliveries have failed since {when}, so Pestle pauses longer between attempts. No event is lost.", {
            when: <When at={endpoint.failing_since} />,
          })}{" "}
          {may_change && say("Try now sends all pending events again at once, and starts the waiting times over.")}
          {tryNow.error !== null && <Problem error={tryNow.error} />}
        </Notice>
      )}
      <Card
        title={<code>{url}</code>}
        actions={
          may_change && (
            <>
              {active && <TestEvent endpoint_id={id} choice />}
              <Button onClick={() => setLayer("edit")}>{say("Edit")}</Button>
              <Button busy={toggle.busy} onClick={() => void toggle.run()}>
                {active ? say("Disable") : say("Enable")}
              </Button>
              <Button tone="danger" onClick={() => setLayer("delete")}>
                {say("Delete")}
              </Button>
            </>
          )
        }
      >
        <Facts
          facts={[
            [say("Events"), <EventNames key="events" events={events} />],
            [
              say("Signed with"),
              <span key="signed">
                <span className="mono">{signing_credential_id}</span>{" "}
                <span className="quiet">{say("secret #{id}", { id: signing_secret_id })}</span>
              </span>,
            ],
            [say("Description"), description],
            [
              say("Endpoint ID"),
              <span key="id" className="mono">
                {id}
              </span>,
            ],
            [say("Created"), <When key="since" at={endpoint.created_at} />],
            [say("Updated"), <When key="changed" at={endpoint.updated_at} />],
            [
              say("Deliveries"),
              <Link key="events" to={`${link_base}/events`} search={{ endpoint_id: id } as never}>
                {say("View events")}
              </Link>,
            ],
          ]}
        />
        {toggle.error !== null && <Problem error={toggle.error} />}
      </Card>
      <EndpointStatistics endpoint_id={id} />
      <Certification endpoint_id={id} active={active} />
      {may_change && <RedeliverSince endpoint_id={id} />}
      {layer === "edit" && <EndpointForm endpoint={endpoint} onClose={() => setLayer(null)} />}
      {layer === "delete" && (
        <Confirm
          title={say("Delete endpoint?")}
          confirm={say("Delete endpoint")}
          change={remove}
          onClose={() => setLayer(null)}
        >
          <p>
            <code>{url}</code>
          </p>
          <p>{say("Pestle discards its pending deliveries. The events stay in the feed.")}</p>
        </Confirm>
      )}
    </>
  );
}
