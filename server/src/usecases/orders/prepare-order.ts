import type { Address, Environment } from "@pestle/contract";
import type { Deps } from "../../deps.ts";
import type { Formulary } from "../../domain/catalogue/formulary.ts";
import { type OrderDraft, readOrder } from "../../domain/orders/order-draft.ts";
import { accountNow } from "../../domain/values/account-clock.ts";
import type { Verdict } from "../../domain/values/address/verdict.ts";
import { dateIn } from "../../domain/values/calendar.ts";
import type { Problem } from "../../domain/values/refusals.ts";
import type { SentFields } from "../../domain/values/unknown-fields.ts";
import { readCatalogue } from "../catalogue/read-catalogue.ts";

/** Who orders. */
export type Orderer = {
  account_id: string;
  environment: Environment;
  clock_offset_s: number;
  /** Told in the history; a partner unless it says otherwise. */
  actor?: "partner" | "system";
};
/** For this long the same body is taken for a retry that should not have been sent. */
export const DUPLICATE_WINDOW_MS = 60_000;

/** An order that was read and whose address was judged: what is left needs the database. */
export type PreparedOrder = {
  orderer: Orderer;
  draft: OrderDraft;
  shape: Problem[];
  sent_verdict: Verdict | null;
  fingerprint: Buffer;
  formulary: Formulary;
};

/** Reads the body and asks the validator, which may be far away: never inside a transaction. */
export async function prepareOrder(
  deps: Deps,
  orderer: Orderer,
  body: SentFields,
  canonical: string,
  now: Date,
  /** Where it goes if the body does not say: there an order went before. */
  address: Address | null = null,
): Promise<PreparedOrder> {
  const today = dateIn(deps.config.TIME_ZONE, accountNow(now, orderer.clock_offset_s));
  const { draft, problems } = readOrder(body, { zips: deps.zips, today, address });
  const { formulary } = await readCatalogue(deps, orderer.account_id);
  const sent_verdict =
    typeof draft.address === "string"
      ? null
      : await deps.address_validators[orderer.environment].validate(draft.address.address);
  // Keyed: the plain hash of a body could be found out by trying.
  const fingerprint = deps.vault.blindIndex(canonical, `order_fingerprint.fingerprint ${orderer.account_id}`);
  return { orderer, draft, shape: problems, sent_verdict, fingerprint, formulary };
}
