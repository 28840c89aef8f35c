import { type EventType, eventTypeNames, type PortalEventRow } from "@pestle/contract";
import { useState } from "react";
import { api } from "../../app/api.ts";
import { Loaded } from "../../app/loaded.tsx";
import { Problem } from "../../app/problem.tsx";
import { Link } from "../../app/router/router.tsx";
import { useApi } from "../../app/use-api.ts";
import { useChange } from "../../app/use-change.ts";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { Menu } from "../../ui/controls/menu.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import { When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { DeliveryBadges } from "../delivery-badges.tsx";
import styles from "./sandbox-screen.module.css";

const REFRESH_MS = 2_000;

/** Incoming webhooks, viewable without your own receiver. */
export function EventInbox() {
  const { api_base, link_base, may_change } = usePortal();
  const events = useApi(`${api_base}/webhook_events?limit=25`, { refetch_ms: REFRESH_MS });
  const [open, setOpen] = useState<string | null>(null);
  const make = useChange(
    (event_type: EventType) =>
      api(`${api_base}/sandbox/simulate`, {
        method: "POST",
        body: { simulation_type: "event", simulation: { event_type } },
      }),
    { reads: [`${api_base}/webhook_events`] },
  );
  return (
    <Card
      title={say("Event inbox")}
      actions={
        <>
          {may_change && (
            <Menu
              trigger={
                <>
                  <Icon name="plus" /> {say("Simulate event")}
                </>
              }
              items={eventTypeNames.map((event_type) => ({
                label: event_type,
                onChoose: () => void make.run(event_type),
              }))}
            />
          )}
          <Link to={`${link_base}/events`}>{say("All events")}</Link>
        </>
      }
      flush
    >
      {make.error !== null && <Problem error={make.error} />}
      <Loaded query={events}>
        {({ webhook_events }) =>
          webhook_events.length === 0 ? (
            <Empty title={say("No events yet")}>
              <p>{say("Events appear here automatically.")}</p>
            </Empty>
          ) : (
            <ol className={styles["inbox"]}>
              {webhook_events.map((row) => (
                <Entry
                  key={row.event_id}
                  row={row}
                  open={open === row.event_id}
                  onToggle={(opened) => setOpen((now) => (opened ? row.event_id : now === row.event_id ? null : now))}
                />
              ))}
            </ol>
          )
        }
      </Loaded>
    </Card>
  );
}

function Entry({
  row: { event_id, event_type, order_number, created_at, deliveries },
  open,
  onToggle,
}: {
  row: PortalEventRow;
  open: boolean;
  onToggle: (open: boolean) => void;
}) {
  return (
    <li>
      <details open={open} onToggle={(event) => onToggle(event.currentTarget.open)}>
        <summary>
          <code>{event_type}</code>
          <span className="quiet small">
            <When at={created_at} seconds />
          </span>
          <span className="quiet small">{order_number ?? " "}</span>
          <span>{deliveries.length > 0 && <DeliveryBadges deliveries={deliveries} />}</span>
        </summary>
        {open && <Body event_id={event_id} />}
      </details>
    </li>
  );
}

/** Fetched on open because the server audits each read. */
function Body({ event_id }: { event_id: string }) {
  const { api_base, link_base } = usePortal();
  const event = useApi(`${api_base}/webhook_events/${event_id}`, { written_down: true });
  return (
    <div className={styles["event"]}>
      <Loaded query={event}>
        {({ body }) => <Copyable block tall text={JSON.stringify(body, null, 2)} label={say("body")} />}
      </Loaded>
      <Link to={`${link_base}/events/${event_id}`}>{say("Attempts and signature")}</Link>
    </div>
  );
}
