import type { PortalCreatedEndpoint, PortalEndpoint } from "@pestle/contract";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
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
import { EndpointState, EventNames } from "./endpoint-state.tsx";
import { DeliveryTrend, ResponseTrend, TrendTable } from "./endpoint-trend.tsx";
import { TestEvent } from "./test-event.tsx";

const FIGURES_REFRESH_MS = 30_000;

/** The partner's webhook endpoints. */
export function EndpointsScreen() {
  const { api_base, link_base, may_change } = usePortal();
  const endpoints = useApi(`${api_base}/webhook_endpoints`, { refetch_ms: 10_000 });
  const figures = useApi(`${api_base}/endpoint_figures`, { refetch_ms: FIGURES_REFRESH_MS }).data?.endpoints ?? [];
  const figuresOf = (id: string) => figures.find(({ endpoint_id }) => endpoint_id === id);
  const [adding, setAdding] = useState(false);
  const [created, setCreated] = useState<{ endpoint: PortalCreatedEndpoint; secret: string } | null>(null);
  useShortcuts(may_change ? [{ keys: "n", label: "New endpoint", run: () => setAdding(true) }] : []);
  const columns: readonly Column<PortalEndpoint>[] = [
    {
      title: "URL",
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
    { title: "Status", cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
    { title: "Delivered, 24 h", cell: ({ id }) => <DeliveryTrend figures={figuresOf(id)} /> },
    { title: "Response time", cell: ({ id }) => <ResponseTrend figures={figuresOf(id)} /> },
    { title: "Events", cell: ({ events }) => <EventNames events={events} /> },
    {
      title: "Created",
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
      about="Pestle sends signed events to these URLs and retries until they return 2xx."
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
          <>
            <Card flush>
              <Table
                caption="Endpoints"
                columns={columns}
                rows={webhook_endpoints}
                rowKey={({ id }) => id}
                dim={({ status }) => status === "disabled"}
                empty={
                  <Empty title="No endpoints yet">
                    <p>Add your receiver's URL. Until then, you can read events in the feed.</p>
                  </Empty>
                }
              />
            </Card>
            <TrendTable endpoints={webhook_endpoints} figures={figures} />
          </>
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
          title="Endpoint created"
          onClose={() => setCreated(null)}
          keep="The pharmacy cannot show it either. Store it in a secrets manager, not in source code."
          secrets={[
            { label: "Signing secret (Standard Webhooks)", text: created.endpoint.signing_secret },
            { label: "Your secret", text: created.secret },
          ]}
          actions={<TestEvent endpoint_id={created.endpoint.id} />}
        >
          <p>
            Use the signing secret to verify the <code>webhook-signature</code> header. The other two authenticity
            headers use your client secret and your own secret.
          </p>
        </ShownOnce>
      )}
    </Page>
  );
}
