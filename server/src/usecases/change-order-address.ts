import type { Order } from "@pestle/contract";
import type { Queryable } from "../db/db.ts";
import { orderPlace } from "../db/orders.ts";
import { bytes } from "../db/receive.ts";
import type { Deps } from "../deps.ts";
import { SHIP_TO_NAME_CHARACTERS } from "../domain/address/address-holds.ts";
import { readAddress } from "../domain/address-input.ts";
import { dateIn } from "../domain/calendar.ts";
import { decideAddressChange } from "../domain/decide-address-change.ts";
import { refuseAll, StatusRefusal } from "../domain/refusals.ts";
import type { SentFields } from "../domain/unknown-fields.ts";
import { changeOrder } from "./change-order.ts";
import { accountNow } from "./move-clock.ts";
import type { Orderer } from "./place-order.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { loadStoredOrder } from "./read-orders.ts";

/** Judges an address and gives what puts it on the order: the validator is never asked inside a transaction. */
export async function changeOrderAddress(
  deps: Deps,
  { account_id, environment }: Orderer,
  order_number: string,
  sent: SentFields,
): Promise<(db: Queryable) => Promise<Order>> {
  const { read, problems: shape } = readAddress(sent, deps.zips);
  const verdict = read && (await deps.address_validators[environment].validate(read.address));
  const { formulary } = await readCatalogue(deps, account_id);
  return async (db) => {
    const loaded = await loadStoredOrder(deps, account_id, order_number, db);
    if (loaded === undefined) throw new StatusRefusal(404);
    refuseAll(shape);
    const now = accountNow(deps.now(), loaded.clock_offset_s);
    const { order, standing, prescriptions } = loaded;
    const controlled =
      prescriptions.some(({ drug_schedule }) => drug_schedule !== "0") ||
      order.items.some(({ sku }) => (formulary.by_sku.get(sku)?.drug_schedule ?? "0") !== "0");
    const { problems, address, open } = decideAddressChange(
      { read: read!, verdict: verdict! },
      { stored: order, standing, controlled },
      { formulary, today: dateIn(deps.config.TIME_ZONE, now), name_characters: SHIP_TO_NAME_CHARACTERS },
    );
    refuseAll(problems);
    const place = orderPlace("address_sealed", account_id, order_number);
    return changeOrder(db, account_id, loaded, {
      order: { address },
      open,
      columns: {
        address_sealed: bytes(deps.vault.seal(Buffer.from(JSON.stringify(address)), place)),
        ship_state: address.state,
      },
      actor: "partner",
      now,
    });
  };
}
