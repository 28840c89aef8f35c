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
import { say, sayWith } from "../../ui/words/say.tsx";
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
  useShortcuts(may_change ? [{ keys: "n", label: say("New endpoint"), run: () => setAdding(true) }] : []);
  const columns: readonly Column<PortalEndpoint>[] = [
    {
      title: say("URL"),
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
    { title: say("Status"), cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
    { title: say("Delivered, 24 h"), cell: ({ id }) => <DeliveryTrend figures={figuresOf(id)} /> },
    { title: say("Response time"), cell: ({ id }) => <ResponseTrend figures={figuresOf(id)} /> },
    { title: say("Events"), cell: ({ events }) => <EventNames events={events} /> },
    {
      title: say("Created"),
      cell: ({ created_at }) => (
        <span className="nowrap">
          <When at={created_at} />
        </span>
      ),
    },
  ];
  return (
    <Page
      title={say("Endpoints")}
      about={say("Pestle sends signed events to these URLs and retries until they return 2xx.")}
      actions={
        may_change && (
          <Button tone="primary" icon="plus" keys="n" onClick={() => setAdding(true)}>
            {say("New endpoint")}
          </Button>
        )
      }
    >
      <Loaded query={endpoints}>
        {({ webhook_endpoints }) => (
          <>
            <Card flush>
              <Table
                caption={say("Endpoints")}
                columns={columns}
                rows={webhook_endpoints}
                rowKey={({ id }) => id}
                dim={({ status }) => status === "disabled"}
                empty={
                  <Empty title={say("No endpoints yet")}>
                    <p>{say("Add your receiver's URL. Until then, you can read events in the feed.")}</p>
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
          title={say("Endpoint created")}
          onClose={() => setCreated(null)}
          keep={say("The pharmacy cannot show it either. Store it in a secrets manager, not in source code.")}
          secrets={[
            { label: say("Signing secret (Standard Webhooks)"), text: created.endpoint.signing_secret },
            { label: say("Your secret"), text: created.secret },
          ]}
          actions={<TestEvent endpoint_id={created.endpoint.id} />}
        >
          <p>
            {sayWith(
              "Use the signing secret to verify the {code} header. The other two authenticity headers use your client secret and your own secret.",
              { code: <code>webhook-signature</code> },
            )}
          </p>
        </ShownOnce>
      )}
    </Page>
  );
}
