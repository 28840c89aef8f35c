import { type Environment, environments, type PortalAccount, type PortalRole } from "@pestle/contract";
import { type ComponentType, createContext, useContext, useEffect } from "react";
import { Loaded } from "../app/loaded.tsx";
import { NotFound } from "../app/shell/not-found.tsx";
import { Page } from "../app/shell/page.tsx";
import { useParam } from "../app/use-address.ts";
import { useApi } from "../app/use-api.ts";
import { say } from "../ui/words/say.tsx";
import { rememberEnvironment } from "./environment.ts";

/** The current account and what the user may do in it. */
export type Portal = {
  environment: Environment;
  sandbox: boolean;
  account: PortalAccount;
  role: PortalRole;
  /** Whether the user can change credentials, webhooks, orders and the sandbox. */
  may_change: boolean;
  may_manage_team: boolean;
  /** Base paths of API requests and of screen links. */
  api_base: `/portal/${Environment}`;
  link_base: string;
};

const Context = createContext<Portal | null>(null);

/** Use only on screens under `/$environment`. */
export function usePortal(): Portal {
  const portal = useContext(Context);
  if (portal === null) throw new Error("this screen has no environment");
  return portal;
}

/** Wraps a screen with the account from the URL. Shows "Page not found" if the partner has no such account. */
export function inAccount(Screen: ComponentType): ComponentType {
  return function InAccount() {
    const given = useParam("environment");
    const environment = environments.find((one) => one === given);
    const index = useApi("/portal");
    useEffect(() => {
      if (environment !== undefined) rememberEnvironment(environment);
    }, [environment]);
    if (index.data === undefined) {
      return (
        <Page title={say("Partner portal")}>
          <Loaded query={index}>{() => null}</Loaded>
        </Page>
      );
    }
    const { accounts, role } = index.data;
    const account = accounts.find((one) => one.environment === environment);
    if (account === undefined) {
      return (
        <Page title={say("Not found")}>
          <NotFound />
        </Page>
      );
    }
    return (
      <Context value={portalOf(account, role)}>
        <Screen key={account.account_id} />
      </Context>
    );
  };
}

const portalOf = (account: PortalAccount, role: PortalRole): Portal => ({
  environment: account.environment,
  sandbox: account.environment === "sandbox",
  account,
  role,
  may_change: role !== "partner_viewer",
  may_manage_team: role === "partner_admin",
  api_base: `/portal/${account.environment}`,
  link_base: `/${account.environment}`,
});
