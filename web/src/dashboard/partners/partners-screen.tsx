import type { DashboardPartner } from "@pestle/contract";
import { useState } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Link, useNavigate } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/controls/button.tsx";
import { counted } from "../../ui/counted.ts";
import { Card } from "../../ui/display/card.tsx";
import { Empty } from "../../ui/display/notice.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { When } from "../../ui/time.tsx";
import { say } from "../../ui/words/say.tsx";
import { admins } from "../roles.ts";
import { NewAccount } from "./new-account.tsx";
import { workflowNames } from "./workflow-names.ts";

/** Partners. Each has a separate account per environment. */
export function PartnersScreen() {
  const partners = useApi("/dashboard/partners");
  const may = admins.includes(useSignedIn().role);
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  useShortcuts(may ? [{ keys: "n", label: say("New account"), run: () => setCreating(true) }] : []);
  return (
    <Page
      title={say("Partners")}
      about={say("Each partner has a separate account per environment, with its own credentials, catalogue and stock.")}
      actions={
        may && (
          <Button tone="primary" icon="plus" keys="n" onClick={() => setCreating(true)}>
            {say("New account")}
          </Button>
        )
      }
    >
      <Loaded query={partners} lines={6}>
        {({ partners: rows }) => (
          <Card flush>
            <Table
              caption={say("Accounts")}
              columns={columns}
              rows={rows.toSorted(byName)}
              rowKey={({ account_id }) => account_id}
              empty={<Empty title={say("No partners yet")}>{say("Create an account, then add a credential.")}</Empty>}
            />
          </Card>
        )}
      </Loaded>
      {creating && (
        <NewAccount
          onClose={() => setCreating(false)}
          onCreated={({ account_id }) => void navigate({ to: `/partners/${account_id}` })}
        />
      )}
    </Page>
  );
}

/** The pharmacy's own accounts come last; staff rarely need them. */
const byName = (a: DashboardPartner, b: DashboardPartner) =>
  Number(a.name === null) - Number(b.name === null) ||
  (a.name ?? "").localeCompare(b.name ?? "") ||
  a.environment.localeCompare(b.environment);

const columns: Column<DashboardPartner>[] = [
  {
    title: say("Partner"),
    cell: ({ account_id, name, environment }) => (
      <span className="row">
        <Link to={`/partners/${account_id}`}>{name ?? say("The pharmacy")}</Link>
        {environment === "production" ? (
          <Badge>{say("Production")}</Badge>
        ) : (
          <EnvironmentBadge environment={environment} />
        )}
      </span>
    ),
  },
  {
    title: say("Orders placed by"),
    cell: ({ workflow }) =>
      workflow === null ? <span className="quiet">{say("none")}</span> : workflowNames[workflow].name,
  },
  { title: say("NCPDP ID"), cell: ({ ncpdp_id }) => <span className="mono">{ncpdp_id ?? "–"}</span> },
  {
    title: say("Routing"),
    number: true,
    cell: ({ routing_rules: { length } }) => (length === 0 ? "–" : counted(length, "rule")),
  },
  {
    title: say("Credentials"),
    number: true,
    cell: ({ credentials, name }) =>
      credentials === 0 && name !== null ? <Badge tone="wait">{say("None")}</Badge> : credentials,
  },
  { title: say("Created"), number: true, cell: ({ created_at }) => <When at={created_at} /> },
];
