import type { DashboardAccount, DashboardShippingMethod } from "@pestle/contract";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { moneyText } from "../../ui/money.ts";
import { say } from "../../ui/words/say.tsx";
import { leads } from "../roles.ts";
import { saveRows } from "./save-rows.ts";
import { ServicesCard } from "./services-card.tsx";

export function MethodsTable({
  account,
  methods,
}: {
  account: DashboardAccount;
  methods: readonly DashboardShippingMethod[];
}) {
  const may = leads.includes(useSignedIn().role);
  return (
    <div className="stack">
      <Methods methods={methods} />
      {/* Nothing is bought in the sandbox. */}
      {may && account.environment === "production" && methods.length > 0 && (
        <ServicesCard account_id={account.account_id} />
      )}
    </div>
  );
}

function Methods({ methods }: { methods: readonly DashboardShippingMethod[] }) {
  return (
    <Card
      title={say("Shipping methods")}
      flush
      actions={
        <Button small icon="download" onClick={() => saveRows("shipping_methods", methods)}>
          {say("CSV")}
        </Button>
      }
    >
      <Table
        caption={say("Shipping methods")}
        columns={columns}
        rows={methods}
        rowKey={({ id }) => id}
        empty={
          <Empty title={say("No shipping methods yet")}>
            {say("Partners cannot place orders until you import one.")}
          </Empty>
        }
      />
    </Card>
  );
}

const columns: Column<DashboardShippingMethod>[] = [
  { title: say("ID"), cell: ({ id }) => <span className="mono">{id}</span> },
  {
    title: say("Name"),
    cell: ({ name, default: usual }) => (
      <span className="row">
        {name} {usual && <Badge tone="good">{say("Default")}</Badge>}
      </span>
    ),
  },
  { title: say("Carrier"), cell: ({ carrier, service }) => `${carrier} ${service}` },
  {
    title: say("Transit days"),
    cell: ({ transit_days_min: least, transit_days_max: most }) =>
      least === most ? least : say("{min} to {max}", { min: least, max: most }),
  },
  {
    title: say("Supports"),
    cell: ({ signature_confirmation, po_box, cold_chain }) => (
      <span className="row">
        {signature_confirmation && <Badge>{say("Signature")}</Badge>}
        {po_box && <Badge>{say("PO Box")}</Badge>}
        {cold_chain && <Badge tone="info">{say("Cold")}</Badge>}
      </span>
    ),
  },
  { title: say("Price"), number: true, cell: ({ price_cents }) => moneyText(price_cents) },
];
