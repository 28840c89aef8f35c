import { type Environment, environments } from "@pestle/contract";
import { useSyncExternalStore } from "react";
import { type Filters, useFilters } from "../app/use-address.ts";
import { useApi } from "../app/use-api.ts";
import { say } from "../ui/words/say.tsx";

const KEPT_AS = "pestle-dashboard-environment";

let chosen = environments.find((one) => one === localStorage.getItem(KEPT_AS));
const watchers = new Set<() => void>();

export function chooseEnvironment(environment: Environment): void {
  chosen = environment;
  localStorage.setItem(KEPT_AS, environment);
  for (const watcher of watchers) watcher();
}

/** The environments that have partner accounts. */
export function useEnvironments(): readonly Environment[] | undefined {
  const { data, isError } = useApi("/dashboard/accounts");
  if (data === undefined) return isError ? environments : undefined;
  return environments.filter((one) => data.accounts.some((row) => row.partner !== null && row.environment === one));
}

/** The environment of the account that the URL names. */
function useNamedEnvironment(): Environment | undefined {
  const { data } = useApi("/dashboard/accounts");
  const [{ account_id }] = useFilters();
  return data?.accounts.find((one) => one.account_id === account_id)?.environment;
}

/**
 * The current environment, which the switch shows and every screen follows: that of the URL's account, else the user's
 * choice, else production if it has accounts, else sandbox. Undefined until the accounts load.
 */
export function useEnvironment(): Environment | undefined {
  const kept = useSyncExternalStore(watch, () => chosen);
  const there = useEnvironments();
  const named = useNamedEnvironment();
  if (there !== undefined && named !== undefined) return named;
  if (there === undefined || (kept && there.includes(kept))) return kept;
  return there.includes("production") ? "production" : "sandbox";
}

/** URL value that selects both environments. */
const BOTH = "both";
export const environmentFilter = {
  name: "environment",
  label: say("Environment"),
  options: [
    ["production", say("Production")],
    ["sandbox", say("Sandbox")],
    [BOTH, say("Both")],
  ],
} as const;

/** Lists show the current environment unless the URL names another, both, or a single account. */
export function withEnvironment(filters: Filters, environment: Environment): Filters {
  const { environment: named = filters["account_id"] === undefined ? environment : BOTH, ...others } = filters;
  return named === BOTH ? others : { ...others, environment: named };
}

function watch(watcher: () => void) {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}
