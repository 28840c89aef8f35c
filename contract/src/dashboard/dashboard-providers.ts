import type { ProviderChoice, ProviderKind, ProviderName } from "../providers.ts";

/** GET /dashboard/providers (lead, admin): who serves production accounts. Figures are of the answering process. */
export type DashboardProviders = { providers: DashboardProvider[] };
export type DashboardProvider = {
  kind: ProviderKind;
  /** The setting that names the provider. */
  setting: string;
  provider: ProviderChoice | null;
  state: "ok" | "warning" | "failed";
  says: string;
  /** The last four characters of the key; null if the provider has none. */
  key_ends: string | null;
  /** The address to enter at the provider; null if it sends none. */
  webhook_url: string | null;
  /** A provider that the test button calls. */
  tested_as: ProviderName | null;
  requests: number;
  failures: number;
  last_success_at: string | null;
  last_failure: { at: string; what: string; error_code: string | null } | null;
};
/** POST /dashboard/providers/{provider}/test (admin): one harmless call. */
export type ProviderTest = { works: boolean; says: string };
