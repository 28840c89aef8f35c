import type { PortalDelivery, PortalEvent, PortalRedeliver } from "@pestle/contract";
import { useEffect, useState } from "react";
import { api } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useFilters, useParam } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Button } from "../../ui/controls/button.tsx";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { Tabs } from "../../ui/controls/tabs.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { useNow, When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { DeliveryBadges } from "../delivery-badges.tsx";
import { Attempts } from "./attempts.tsx";
import styles from "./event-screen.module.css";
import { Signature } from "./signature.tsx";

const WATCH_MS = 1_500;
const SOON_MS = 6_000;

/** One event: deliveries, attempts, body and signature. */
export function EventScreen() {
  const { api_base, link_base, account } = usePortal();
  const event_id = useParam("event_id");
  const path = `${api_base}/webhook_events/${encodeURIComponent(event_id)}` as const;
  // The server audits each read because the body names medications, so poll only when an attempt is due soon.
  const [near, setNear] = useState(true);
  const event = useApi(path, { written_down: true, ...(near && { refetch_ms: WATCH_MS }) });
  const now_ms = Math.max(useNow(), Date.now()) + account.clock_offset_s * 1000;
  const next = event.data?.deliveries.flatMap(({ next_attempt_at }) => next_attempt_at ?? []).sort()[0];
  useEffect(() => {
    setNear(next !== undefined && Date.parse(next) < now_ms + SOON_MS);
  }, [next, now_ms]);
  return (
    <Page
      title={event.data?.event_type ?? say("Event")}
      heading={event.data && <code>{event.data.event_type}</code>}
      actions={
        <Link to={`${link_base}/events`} search={{} as never}>
          {say("All events")}
        </Link>
      }
    >
      <Loaded query={event} lines={8}>
        {(shown) => <Shown event={shown} />}
      </Loaded>
    </Page>
  );
}

function Shown({ event }: { event: PortalEvent }) {
  const { link_base } = usePortal();
  const [{ tab = "attempts" }, change] = useFilters();
  const { event_id, patient_id, order_number, created_at, body, body_text } = event;
  return (
    <>
      <Card>
        <Facts
          facts={[
            [say("Event ID"), <Copyable key="id" text={event_id} label={say("event ID")} />],
            [say("Created"), <When key="at" at={created_at} seconds />],
            [
              say("Order"),
              order_number && (
                <Link className="mono" to={`${link_base}/orders/${order_number}`}>
                  {order_number}
                </Link>
              ),
            ],
            [say("Patient"), patient_id && <span className="mono">{patient_id}</span>],
          ]}
        />
      </Card>
      <Deliveries event={event} />
      <Tabs
        label={say("Event")}
        value={tab}
        onChange={(key) => change({ tab: key })}
        tabs={[
          { key: "attempts", label: say("Attempts"), content: () => <Attempts event={event} /> },
          {
            key: "body",
            label: say("Body"),
            content: () => (
              <div className={`stack ${styles["body"]}`}>
                <Copyable block tall text={JSON.stringify(body, null, 2)} label={say("body")} />
                <details>
                  <summary>{say("Raw bytes, as sent and signed")}</summary>
                  <Copyable block tall text={body_text} label={say("raw body")} />
                </details>
              </div>
            ),
          },
          { key: "signature", label: say("Signature explained"), content: () => <Signature event={event} /> },
        ]}
      />
    </>
  );
}

/** The event's deliveries. "Resend" adds one attempt, even after a successful delivery. */
function Deliveries({ event: { event_id, deliveries } }: { event: PortalEvent }) {
  const { api_base, link_base, may_change, account } = usePortal();
  const now_ms = Math.max(useNow(), Date.now()) + account.clock_offset_s * 1000;
  const endpoints = useApi(`${api_base}/webhook_endpoints`).data?.webhook_endpoints ?? [];
  const redeliver = useChange(
    (endpoint_id?: string) => {
      const body: PortalRedeliver = endpoint_id ? { endpoint_id } : {};
      return api(`${api_base}/webhook_events/${event_id}/redeliver`, { method: "POST", body });
    },
    { done: say("Sending the event again."), reads: [`${api_base}/webhook_events`, `${api_base}/home`] },
  );
  useShortcuts(
    may_change && deliveries.length > 0
      ? [{ keys: "r", label: say("Resend event"), run: () => void redeliver.run() }]
      : [],
  );
  const columns: readonly Column<PortalDelivery>[] = [
    {
      title: say("Endpoint"),
      cell: ({ endpoint_id }) => (
        <Link to={`${link_base}/webhooks/${endpoint_id}`}>
          <code>{endpoints.find(({ id }) => id === endpoint_id)?.url ?? endpoint_id}</code>
        </Link>
      ),
    },
    { title: say("State"), cell: (delivery) => <DeliveryBadges deliveries={[delivery]} /> },
    { title: say("Attempts"), number: true, cell: ({ attempts }) => attempts },
    {
      title: say("Next attempt"),
      cell: ({ next_attempt_at, status }) =>
        next_attempt_at === null ? (
          status === "pending" && <span className="quiet">{say("when the endpoint is enabled")}</span>
        ) : Date.parse(next_attempt_at) <= now_ms ? (
          say("now")
        ) : (
          <When at={next_attempt_at} seconds />
        ),
    },
    ...(may_change
      ? [
          {
            title: say("Actions"),
            unseen: true,
            cell: ({ endpoint_id }: PortalDelivery) => (
              <Button small icon="refresh" busy={redeliver.busy} onClick={() => void redeliver.run(endpoint_id)}>
                {say("Resend")}
              </Button>
            ),
          },
        ]
      : []),
  ];
  return (
    <Card title={say("Deliveries")} flush>
      <Table
        caption={say("Deliveries")}
        columns={columns}
        rows={deliveries}
        rowKey={({ endpoint_id }) => endpoint_id}
        empty={
          <Empty title={say("No deliveries")}>
            <p>{say("No endpoint was subscribed to this event. You can still read it in the feed.")}</p>
          </Empty>
        }
      />
      {may_change && deliveries.length > 0 && (
        <p className={styles["resend"]}>
          {say(
            "Resend makes one more attempt now, with the same event ID, even if the endpoint already received the event.",
          )}
        </p>
      )}
      {redeliver.error !== null && <Problem error={redeliver.error} />}
    </Card>
  );
}
