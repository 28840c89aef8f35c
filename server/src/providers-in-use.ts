import { PROVIDER_KINDS, type ProviderChoice, type ProviderKind } from "@pestle/contract";
import type { Config } from "./config.ts";
import type { Deps } from "./deps.ts";
import { chosenProvider } from "./provider-settings.ts";

/** The demo's production account runs on the simulators, unless the settings name others. */
const DEMO: Partial<Record<ProviderKind, ProviderChoice>> = {
  payments: "simulated",
  carrier: "simulated",
  sms: "simulated",
};

/** Who serves production accounts. Outside of the demo nothing is simulated that the settings do not name. */
export const providersInUse = (config: Config, demo: boolean): Deps["providers"] =>
  Object.fromEntries(
    PROVIDER_KINDS.map((kind) => [kind, chosenProvider(config, kind) ?? (demo ? (DEMO[kind] ?? null) : null)]),
  ) as Deps["providers"];
