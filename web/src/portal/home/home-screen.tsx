import type { PortalHome } from "@pestle/contract";
import { Link } from "@tanstack/react-router";
import { Loaded } from "../../app/loaded.tsx";
import { Page } from "../../app/shell/page.tsx";
import { useSignedIn } from "../../app/sign-in/session.ts";
import { useApi } from "../../app/use-api.ts";
import { buttonClass } from "../../ui/controls/button.tsx";
import { Copyable } from "../../ui/controls/copyable.tsx";
import { Card, Facts } from "../../ui/display/card.tsx";
import { Notice } from "../../ui/display/notice.tsx";
import { When } from "../../ui/time.tsx";
import { usePortal } from "../account.tsx";
import { AccountTiles } from "./account-tiles.tsx";
import styles from "./home-screen.module.css";
import { NewestOrders } from "./newest-orders.tsx";
import { QuickStart } from "./quick-start.tsx";

const REFRESH_MS = 4_000;
const workflowNames = { api_driven: "API-driven", automatic: "Automatic Processing" } as const;

/** How far the integration has come, what waits, and where the API is. */
export function HomeScreen() {
  const { api_base } = usePortal();
  const { partner_name } = useSignedIn();
  const home = useApi(`${api_base}/home`, { refetch_ms: REFRESH_MS });
  return (
    <Page title="Home" heading={partner_name ?? "Home"}>
      <Loaded query={home} lines={8}>
        {(shown) => (
          <>
            <Banners {...shown} />
            <AccountTiles home={shown} />
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

function Banners({ webhooks, waiting_for_you }: PortalHome) {
  const { link_base } = usePortal();
  return (
    <>
      {webhooks.disabled_endpoints.map(({ id, url, reason, disabled_at }) => (
        <Notice
          key={id}
          tone="bad"
          title="An endpoint was disabled: nothing is sent to it."
          actions={
            <Link className={buttonClass("plain", true)} to={`${link_base}/webhooks/${id}`}>
              Look at the endpoint
            </Link>
          }
        >
          <code>{url}</code> {reason === "gone" ? "answered 410 Gone" : "did nothing but fail for days"},{" "}
          <When at={disabled_at} />.
        </Notice>
      ))}
      {waiting_for_you > 0 && (
        <Notice tone="wait">
          <strong>
            {waiting_for_you === 1 ? "One order waits for you." : `${waiting_for_you} orders wait for you.`}
          </strong>{" "}
          <Link to={`${link_base}/exceptions`}>
            {waiting_for_you === 1 ? "See what it needs" : "See what they need"}
          </Link>
        </Notice>
      )}
    </>
  );
}

function Addresses({ addresses: { base_url, token_url } }: PortalHome) {
  return (
    <Card title="Addresses">
      <div className="stack">
        <div>
          <p className="quiet small">API</p>
          <Copyable text={base_url} label="the API's address" />
        </div>
        <div>
          <p className="quiet small">Token server</p>
          <Copyable text={token_url} label="the token server's address" />
        </div>
        <p className="row">
          <a href="/docs/api">API reference</a>
          <a href="/openapi.json">OpenAPI</a>
        </p>
      </div>
    </Card>
  );
}

function AboutAccount({ account }: PortalHome) {
  return (
    <Card title="Account">
      <Facts
        facts={[
          ["Environment", account.environment === "sandbox" ? "Sandbox" : "Production"],
          ["Workflow", workflowNames[account.workflow]],
          ["NCPDP id", account.ncpdp_id && <code>{account.ncpdp_id}</code>],
          ["Labels", account.custom_labels ? "Your own carrier labels are taken" : "Bought by the pharmacy"],
          ["Account id", <code key="id">{account.account_id}</code>],
          ["Since", <When key="since" at={account.created_at} />],
        ]}
      />
    </Card>
  );
}
