import type { PortalCreatedEndpoint, PortalEndpoint } from "@pestle/contract";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useApi } from "../../app/use-api.ts";
import { Button } from "../../ui/controls/button.tsx";
import { ShownOnce } from "../../ui/controls/shown-once.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { When } from "../../ui/time.tsx";
import { usePortal } from "../account.tsx";
import { EndpointForm } from "./endpoint-form.tsx";
import { EndpointState, eventsText } from "./endpoint-state.tsx";
import { TestEvent } from "./test-event.tsx";

/** Where events are sent to. */
export function EndpointsScreen() {
  const { api_base, link_base, may_change } = usePortal();
  const endpoints = useApi(`${api_base}/webhook_endpoints`, { refetch_ms: 10_000 });
  const [adding, setAdding] = useState(false);
  const [created, setCreated] = useState<{ endpoint: PortalCreatedEndpoint; secret: string } | null>(null);
  useShortcuts(may_change ? [{ keys: "n", label: "New endpoint", run: () => setAdding(true) }] : []);
  const columns: readonly Column<PortalEndpoint>[] = [
    {
      title: "Address",
      cell: ({ id, url, description }) => (
        <>
          <Link to={`${link_base}/webhooks/${id}`}>
            <code>{url}</code>
          </Link>
          {description && (
            <>
              <br />
              <span className="quiet">{description}</span>
            </>
          )}
        </>
      ),
    },
    { title: "State", cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
    { title: "Events", cell: ({ events }) => eventsText(events) },
    {
      title: "Since",
      cell: ({ created_at }) => (
        <span className="nowrap">
          <When at={created_at} />
        </span>
      ),
    },
  ];
  return (
    <Page
      title="Endpoints"
      about="Addresses of yours to which events are sent, signed, until one answers 2xx."
      actions={
        may_change && (
          <Button tone="primary" icon="plus" keys="n" onClick={() => setAdding(true)}>
            New endpoint
          </Button>
        )
      }
    >
      <Loaded query={endpoints}>
        {({ webhook_endpoints }) => (
          <Card flush>
            <Table
              caption="Endpoints"
              columns={columns}
              rows={webhook_endpoints}
              rowKey={({ id }) => id}
              dim={({ status }) => status === "disabled"}
              empty={
                <Empty title="No endpoint yet">
                  <p>Register the address of your receiver. Without one, events wait in the feed.</p>
                </Empty>
              }
            />
          </Card>
        )}
      </Loaded>
      {adding && (
        <EndpointForm
          onClose={() => setAdding(false)}
          onCreated={(endpoint, secret) => {
            setAdding(false);
            setCreated({ endpoint, secret });
          }}
        />
      )}
      {created && (
        <ShownOnce
          title="The endpoint is registered"
          onClose={() => setCreated(null)}
          keep="Nobody can look it up later, not even the pharmacy. Keep it where your program finds it, and out of code that others can read."
          secrets={[
            { label: "Signing secret (Standard Webhooks)", text: created.endpoint.signing_secret },
            { label: "The secret that you chose", text: created.secret },
          ]}
          actions={<TestEvent endpoint_id={created.endpoint.id} />}
        >
          <p>
            With the first the header <code>webhook-signature</code> is checked. The other two authenticity headers need
            your client secret and the second.
          </p>
        </ShownOnce>
      )}
    </Page>
  );
}
