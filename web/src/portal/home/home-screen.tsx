import type { PortalHome } from "@pestle/contract";
import type { ReactNode } from "react";
import { Loaded } from "../../app/loaded.tsx";
import { Link } from "../../app/router/router.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { environmentNames } from "../../ui/controls/environment-menu.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { When } from "../../ui/time.tsx";
import { say, sayWith } from "../../ui/words/say.tsx";
import { usePortal } from "../account.tsx";
import { AccountTiles } from "./account-tiles.tsx";
import styles from "./home-screen.module.css";
import { NewestOrders } from "./newest-orders.tsx";
import { OrderCharts } from "./order-charts.tsx";
import { QuickStart } from "./quick-start.tsx";

const REFRESH_MS = 4_000;
const workflowNames = { api_driven: say("API-driven"), automatic: say("Automatic Processing") } as const;

/** Integration progress, open tasks and API URLs. */
export function HomeScreen() {
  const { api_base } = usePortal();
  const { partner_name } = useSignedIn();
  const home = useApi(`${api_base}/home`, { refetch_ms: REFRESH_MS });
  return (
    <Page title={say("Home")} heading={partner_name ?? say("Home")}>
      <Loaded query={home} lines={8}>
        {(shown) => (
          <>
            <Banners {...shown} />
            <AccountTiles home={shown} />
            <OrderCharts />
            <div className={styles["columns"]}>
              <div className="stack">
                {shown.checklist.every(({ done }) => done) && <NewestOrders />}
                <QuickStart home={shown} />
              </div>
              <div className="stack">
                <Addresses {...shown} />
                <AboutAccount {...shown} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

const disabledText = (reason: string, url: ReactNode, when: ReactNode) =>
  reason === "gone"
    ? sayWith("{url} returned 410 Gone, {when}.", { url, when })
    : sayWith("{url} failed every delivery for days, {when}.", { url, when });

function Banners({ webhooks, waiting_for_you }: PortalHome) {
  const { link_base } = usePortal();
  return (
    <>
      {webhooks.disabled_endpoints.map(({ id, url, reason, disabled_at }) => (
        <Notice
          key={id}
          tone="bad"
          title={say("An endpoint is disabled and receives no events.")}
          actions={
            <Link className={buttonClass("plain", true)} to={`${link_base}/webhooks/${id}`}>
              {say("View endpoint")}
            </Link>
          }
        >
          {disabledText(reason, <code>{url}</code>, <When at={disabled_at} />)}
        </Notice>
      ))}
      {waiting_for_you > 0 && (
        <Notice tone="wait">
          <strong>
            {waiting_for_you === 1
              ? say("1 order needs your action.")
              : say("{count} orders need your action.", { count: waiting_for_you })}
          </strong>{" "}
          <Link to={`${link_base}/exceptions`}>
            {waiting_for_you === 1 ? say("View exception") : say("View exceptions")}
          </Link>
        </Notice>
      )}
    </>
  );
}

function Addresses({ addresses: { base_url, token_url } }: PortalHome) {
  return (
    <Card title={say("API URLs")}>
      <div className="stack">
        <div>
          <p className="quiet small">{say("API")}</p>
          <Copyable text={base_url} label={say("API URL")} />
        </div>
        <div>
          <p className="quiet small">{say("Token server")}</p>
          <Copyable text={token_url} label={say("token server URL")} />
        </div>
        <p className="row">
          <a href="/docs/api">{say("API reference")}</a>
          <a href="/openapi.json">{say("OpenAPI")}</a>
        </p>
      </div>
    </Card>
  );
}

function AboutAccount({ account }: PortalHome) {
  return (
    <Card title={say("Account")}>
      <Facts
        facts={[
          [say("Environment"), environmentNames[account.environment]],
          [say("Workflow"), workflowNames[account.workflow]],
          [say("NCPDP ID"), account.ncpdp_id && <code>{account.ncpdp_id}</code>],
          [say("Labels"), account.custom_labels ? say("Your own carrier labels") : say("Bought by the pharmacy")],
          [say("Account ID"), <code key="id">{account.account_id}</code>],
          [say("Created"), <When key="since" at={account.created_at} />],
        ]}
      />
    </Card>
  );
}
