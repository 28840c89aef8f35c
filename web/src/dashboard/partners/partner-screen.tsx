import type { DashboardPartner } from "@pestle/contract";
import { Loaded } from "../../app/loaded.tsx";
import { Link, useNavigate } from "../../app/router/router.tsx";
import { NotFound } from "../../app/shell/not-found.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useShortcuts } from "../../app/shell/shortcuts.ts";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useParam } from "../../app/use-address.ts";
import { useApi } from "../../app/use-api.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Icon } from "../../ui/icon.tsx";
import { EnvironmentBadge } from "../../ui/order-badges.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { leads } from "../roles.ts";
import { CredentialsCard } from "./credentials-card.tsx";
import { QuotasCard } from "./quotas-card.tsx";
import { RoutingCard } from "./routing-card.tsx";
import { workflowNames } from "./workflow-names.ts";

/** One account: details, message routing, quotas and credentials. */
export function PartnerScreen() {
  const account_id = useParam("account_id");
  const partners = useApi("/dashboard/partners");
  return (
    <Loaded query={partners} lines={8}>
      {({ partners: all }) => {
        const partner = all.find((one) => one.account_id === account_id);
        if (partner !== undefined) return <Account partner={partner} />;
        return (
          <Page title={say("Not found")}>
            <NotFound />
          </Page>
        );
      }}
    </Loaded>
  );
}

function Account({ partner }: { partner: DashboardPartner }) {
  const { account_id, name, environment, workflow, ncpdp_id, custom_labels, created_at } = partner;
  const { role } = useSignedIn();
  const navigate = useNavigate();
  useShortcuts([{ keys: "Escape", label: say("Back to partners"), run: () => void navigate({ to: "/partners" }) }]);
  const back = <Link to="/partners">{say("Partners")}</Link>;
  const title = name ?? say("The pharmacy");
  return (
    <Page
      title={title}
      heading={
        <span className="row">
          {title} <EnvironmentBadge environment={environment} />
        </span>
      }
      about={
        environment === "sandbox"
          ? sayWith("{link} · sandbox account", { link: back })
          : sayWith("{link} · production account", { link: back })
      }
      actions={
        name !== null &&
        places.map(({ to, label, icon, search }) => (
          <Link key={to} to={to} search={search(partner) as never} className={buttonClass("plain")}>
            <Icon name={icon} /> {label}
          </Link>
        ))
      }
    >
      <div className="grid-2">
        <Card title={say("Account")}>
          <Facts
            facts={[
              [say("Account ID"), <Copyable key="id" text={account_id} label={say("account ID")} />],
              [
                say("Orders"),
                workflow === null ? say("None. This account only receives messages.") : workflowNames[workflow].says,
              ],
              [
                say("NCPDP ID"),
                ncpdp_id ? (
                  <code key="ncpdp">{ncpdp_id}</code>
                ) : (
                  name !== null && say("None. This account receives no e-prescriptions.")
                ),
              ],
              [say("Custom labels"), name !== null && (custom_labels ? say("Allowed") : say("No"))],
              [say("Created"), <When key="at" at={created_at} />],
            ]}
          />
        </Card>
        {name !== null && <RoutingCard partner={partner} />}
      </div>
      {name !== null && <QuotasCard account_id={account_id} />}
      {leads.includes(role) && <CredentialsCard account_id={account_id} />}
    </Page>
  );
}

const ofAccount = ({ account_id }: DashboardPartner) => ({ account_id });
const ofPartner = ({ partner_id, environment }: DashboardPartner) => ({ partner_id, environment });
const places = [
  { to: "/orders", label: say("Orders"), icon: "list", search: ofPartner },
  { to: "/catalogue", label: say("Catalogue"), icon: "book", search: ofAccount },
  { to: "/stock", label: say("Stock"), icon: "layers", search: ofAccount },
  { to: "/statements", label: say("Statements"), icon: "money", search: ofAccount },
] as const;
