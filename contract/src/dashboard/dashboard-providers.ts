import type { ShippingServices } from "../catalogue.ts";
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

/** GET /dashboard/catalogue/{account_id}/services (lead, admin): what Pestle buys from the carrier for each method. */
export type DashboardShippingServices = {
  services: ShippingServices;
  /** Who makes the account's labels. Only EasyPost uses the services. */
  carrier: ProviderChoice | null;
  /** The usual parcel of the settings. */
  parcel: ParcelOfService & { weight_oz: number };
  /** Services that Pestle knows the names of. A choice may name another one. */
  known: { carrier: string; service: string }[];
};
type ParcelOfService = { length_in: number; width_in: number; height_in: number };
/** POST /dashboard/catalogue/{account_id}/services. Null takes the choice back, and the built-in table decides again. */
export type ShippingServiceRequest = { method_id: number; choice: ShippingServiceChoice | null };
/** The three sides of a parcel are given together, or are null: then the settings count. */
export type ShippingServiceChoice = { carrier: string; service: string; weight_oz: number | null } & {
  [side in keyof ParcelOfService]: number | null;
};

/** POST /dashboard/providers/{provider}/test (admin): one harmless call. */
export type ProviderTest = { works: boolean; says: string };
