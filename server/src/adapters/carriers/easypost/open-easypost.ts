import { performance } from "node:perf_hooks";
import type { Address, LabelFormat } from "@pestle/contract";
import type { Verdict } from "../../../domain/values/address/verdict.ts";
import type { AddressValidator } from "../../addresses/address-validator.ts";
import { easypostAddresses } from "../../addresses/easypost/easypost-addresses.ts";
import { openProviderClient } from "../../providers/provider-client.ts";
import type { ProviderWatch } from "../../providers/provider-watch.ts";
import type { Carriers } from "../carriers.ts";
import { easypostCarriers } from "./easypost-carriers.ts";
import { errorCodeOf } from "./read-answers.ts";

/** A partner waits for an order's address this long. */
const VERIFY_MS = 2_000;

type Settings = {
  EASYPOST_API_KEY: string;
  EASYPOST_API_BASE: string;
  EASYPOST_LABEL_FORMAT: LabelFormat;
  EASYPOST_WEBHOOK_SECRET: string;
};

/** Opens EasyPost for what the settings name. A label may take longer than an address, so each has a client. */
export function openEasyPost(
  {
    EASYPOST_API_KEY,
    EASYPOST_API_BASE: base_url,
    EASYPOST_LABEL_FORMAT: label_format,
    EASYPOST_WEBHOOK_SECRET: webhook_secret,
  }: Settings,
  watch: ProviderWatch,
  now: () => Date,
): {
  carriers: Carriers;
  addresses: (tables: { validate(address: Address): Verdict }) => AddressValidator;
  check: () => Promise<string>;
} {
  // EasyPost takes the key as the user name, with an empty password.
  const headers = { authorization: `Basic ${Buffer.from(`${EASYPOST_API_KEY}:`).toString("base64")}` };
  const ticks = () => performance.now();
  const shared = { provider: "easypost" as const, base_url, headers, watch, ticks, now };
  const client = openProviderClient(shared);
  return {
    carriers: easypostCarriers(client, { label_format, webhook_secret }),
    addresses: (tables) => {
      const quick = openProviderClient({ ...shared, timeout_ms: VERIFY_MS });
      return easypostAddresses(quick, tables, ticks);
    },
    async check() {
      const answer = await client.call({ method: "GET", path: "/v2/trackers?page_size=1", what: "test" });
      if (answer.status < 300) return "EasyPost accepts the key.";
      throw new Error(`EasyPost refused the key (${errorCodeOf(answer.body) ?? `HTTP ${answer.status}`}).`);
    },
  };
}
