import {
  type DashboardProviders,
  PROVIDER_KINDS,
  type ProviderName,
  type ProviderTest,
  providerKinds,
  providers,
} from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import { StatusRefusal } from "../../domain/values/refusals.ts";
import { checkProviders, isProvider } from "./check-up-providers.ts";

/** Who serves production accounts, and how their calls go. */
export function readProviders(deps: Deps): DashboardProviders {
  const findings = checkProviders(deps.providers, deps.provider_watch);
  return {
    providers: PROVIDER_KINDS.map((kind, index) => {
      const chosen = deps.providers[kind];
      const { state, says } = findings[index]!;
      const name = chosen !== null && isProvider(chosen) ? chosen : null;
      const seen = name === null ? null : deps.provider_watch.stateOf(name);
      return {
        kind,
        setting: providerKinds[kind].setting,
        provider: chosen,
        ...{ state, says },
        key_ends: name && keyEnds(deps, name),
        webhook_url: name && webhookUrl(deps, name),
        tested_as: name !== null && deps.provider_checks[name] !== undefined ? name : null,
        requests: seen?.requests ?? 0,
        failures: seen?.failures ?? 0,
        last_success_at: seen?.last_success_at?.toISOString() ?? null,
        last_failure: seen?.last_failure ? { ...seen.last_failure, at: seen.last_failure.at.toISOString() } : null,
      };
    }),
  };
}

function keyEnds({ config }: Deps, name: ProviderName): string | null {
  const { key_setting } = providers[name];
  return key_setting === null ? null : String(config[key_setting]).slice(-4);
}

function webhookUrl({ addresses, config }: Deps, name: ProviderName): string | null {
  const unused = name === "smtp" && config.MAIL_BOUNCE_TOKEN === "";
  return unused ? null : `${addresses.base_url}${providers[name].webhook_path}`;
}

/** Calls the provider once, without an effect. */
export async function testProvider(deps: Pick<Deps, "provider_checks">, name: string): Promise<ProviderTest> {
  const check = isProvider(name) ? deps.provider_checks[name] : undefined;
  if (check === undefined) throw new StatusRefusal(404);
  try {
    return { works: true, says: await check() };
  } catch (error) {
    return { works: false, says: (error as Error).message };
  }
}
